//! reqwest, whose API does not show interim responses.
use std::error::Error;

use clients::{send_all, Report, Sent, LIMIT};
use http_body_util::BodyExt;
use reqwest::{Body, Client, Method};
use tokio::runtime::Runtime;

/// What is at the bottom of an error: what is above it has the URL, or says where it happened.
fn words(error: &dyn Error) -> String {
    let mut cause = error;
    while let Some(source) = cause.source() {
        cause = source;
    }
    cause.to_string()
}

async fn send(client: &Client, sent: &Sent, report: &mut Report) -> reqwest::Result<()> {
    let mut request = client
        .request(Method::from_bytes(sent.method.as_bytes()).unwrap(), &sent.url)
        .header("X-Wirebin-Journal", &sent.name);
    if let Some((name, value)) = &sent.field {
        request = request.header(name, value);
    }
    if sent.length > 0 {
        request = request.body(vec![0; sent.length]);
    }
    let response = request.send().await?;
    report.status = response.status().as_u16().to_string();
    let mut content = Body::from(response);
    while let Some(frame) = content.frame().await {
        match frame?.into_data() {
            Ok(piece) => report.received += piece.len(),
            Err(frame) => {
                let trailers = frame.into_trailers().unwrap();
                let names: Vec<&str> = trailers.keys().map(|name| name.as_str()).collect();
                report.seen.push(format!("trailer {}", names.join(", ")));
            }
        }
    }
    Ok(())
}

fn main() {
    send_all(|is_http2| {
        let builder = Client::builder().danger_accept_invalid_certs(true).timeout(LIMIT);
        let builder = if is_http2 { builder.http2_prior_knowledge() } else { builder.http1_only() };
        let client = builder.build().unwrap();
        let runtime = Runtime::new().unwrap();
        Box::new(move |sent| {
            let mut report = Report::default();
            if let Err(error) = runtime.block_on(send(&client, sent, &mut report)) {
                report.error = words(&error);
            }
            report
        })
    });
}
