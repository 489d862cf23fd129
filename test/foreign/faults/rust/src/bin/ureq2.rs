//! ureq 2, whose API shows neither interim responses nor trailers.
use std::error::Error;
use std::io::Read;
use std::sync::Arc;

use clients::{send_all, Report, Sent, LIMIT};
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::ring::default_provider;
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{ClientConfig, DigitallySignedStruct, SignatureScheme};
use ureq::{Agent, AgentBuilder, Response};

/// Accepts every certificate.
#[derive(Debug)]
struct Any;

impl ServerCertVerifier for Any {
    fn verify_server_cert(
        &self,
        _: &CertificateDer<'_>,
        _: &[CertificateDer<'_>],
        _: &ServerName<'_>,
        _: &[u8],
        _: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        _: &[u8],
        _: &CertificateDer<'_>,
        _: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        Ok(HandshakeSignatureValid::assertion())
    }

    fn verify_tls13_signature(
        &self,
        _: &[u8],
        _: &CertificateDer<'_>,
        _: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        Ok(HandshakeSignatureValid::assertion())
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        default_provider().signature_verification_algorithms.supported_schemes()
    }
}

fn agent() -> Agent {
    let tls = ClientConfig::builder()
        .dangerous()
        .with_custom_certificate_verifier(Arc::new(Any))
        .with_no_client_auth();
    AgentBuilder::new().tls_config(Arc::new(tls)).timeout(LIMIT).build()
}

fn call(agent: &Agent, sent: &Sent) -> Result<Response, ureq::Error> {
    let mut request = agent.request(&sent.method, &sent.url).set("X-Wirebin-Journal", &sent.name);
    if let Some((name, value)) = &sent.field {
        request = request.set(name, value);
    }
    if sent.length > 0 {
        request.send_bytes(&vec![0; sent.length])
    } else {
        request.call()
    }
}

fn send(agent: &Agent, sent: &Sent, report: &mut Report) -> Result<(), Box<dyn Error>> {
    // A status of 400 or above is an error.
    let response = call(agent, sent).or_else(|error| match error {
        ureq::Error::Status(_, response) => Ok(response),
        error => Err(error),
    })?;
    report.status = response.status().to_string();
    let mut content = response.into_reader();
    let mut buffer = [0; 65536];
    loop {
        match content.read(&mut buffer)? {
            0 => return Ok(()),
            read => report.received += read,
        }
    }
}

/// Without the URL that an error begins with.
fn words(error: &dyn Error, url: &str) -> String {
    error.to_string().replacen(&format!("{url}: "), "", 1)
}

fn main() {
    send_all(|_| {
        let agent = agent();
        Box::new(move |sent| {
            let mut report = Report::default();
            if let Err(error) = send(&agent, sent, &mut report) {
                report.error = words(error.as_ref(), &sent.url);
            }
            report
        })
    });
}
