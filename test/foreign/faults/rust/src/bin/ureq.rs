//! ureq, whose API shows neither interim responses nor trailers.
use std::error::Error;
use std::io::Read;

use clients::{send_all, Report, Sent, LIMIT};
use ureq::config::Config;
use ureq::http::Request;
use ureq::tls::TlsConfig;
use ureq::Agent;

fn agent() -> Agent {
    let tls = TlsConfig::builder().disable_verification(true).build();
    // By default a status of 400 or above is an error.
    let config = Config::builder().http_status_as_error(false).timeout_global(Some(LIMIT));
    config.tls_config(tls).build().new_agent()
}

fn send(agent: &Agent, sent: &Sent, report: &mut Report) -> Result<(), Box<dyn Error>> {
    let mut request = Request::builder()
        .method(sent.method.as_str())
        .uri(&sent.url)
        .header("X-Wirebin-Journal", &sent.name);
    if let Some((name, value)) = &sent.field {
        request = request.header(name, value);
    }
    let response = if sent.length > 0 {
        agent.run(request.body(vec![0u8; sent.length])?)?
    } else {
        agent.run(request.body(())?)?
    };
    report.status = response.status().as_u16().to_string();
    let mut content = response.into_body().into_reader();
    let mut buffer = [0; 65536];
    loop {
        match content.read(&mut buffer)? {
            0 => return Ok(()),
            read => report.received += read,
        }
    }
}

fn main() {
    send_all(|_| {
        let agent = agent();
        Box::new(move |sent| {
            let mut report = Report::default();
            if let Err(error) = send(&agent, sent, &mut report) {
                report.error = error.to_string();
            }
            report
        })
    });
}
