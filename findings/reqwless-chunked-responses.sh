#!/usr/bin/env bash
# reqwless 0.14.0, an HTTP client for microcontrollers in Rust: a response with Content-Length and one in chunks from
# edge-http 0.8.0, a server for microcontrollers in Rust; and the same chunks from a socket, alone, with a chunk
# extension and with a trailer field (RFC 9112 7.1.1 and 7.1.2).
#
# A guess: the content arrives each time: a recipient has to parse chunks and to ignore extensions that it does not
# know.
# Found: in chunks, it arrives only without extensions and trailers. edge-http writes the name of the coding as
# `Chunked`, which is valid, since names of codings are case-insensitive (RFC 9112 7), but reqwless refuses the whole
# response with "Codec", as it does the content after an extension or before a trailer field. So two libraries for the
# same devices understand each other only if the response has a length.
#
# Fails if that changes. Needs cargo with Rust 1.91 or later, on Linux or macOS.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
cat >Cargo.toml <<'TOML'
[package]
name = "devices"
version = "0.1.0"
edition = "2024"

[dependencies]
critical-section = { version = "=1.2.0", features = ["std"] }
edge-http = "=0.8.0"
edge-nal = "=0.7.0"
edge-nal-std = "=0.7.0"
embassy-time = { version = "=0.5.1", features = ["generic-queue-64", "std"] }
embedded-io-async = "=0.7.0"
futures-lite = "=2.6.1"
reqwless = { version = "=0.14.0", default-features = false }
std-embedded-nal-async = "=0.4.0"
TOML
mkdir src
cat >src/main.rs <<'RS'
use core::fmt::{Debug, Display};
use edge_http::io::Error;
use edge_http::io::server::{Connection, DefaultServer, Handler};
use edge_nal::TcpBind;
use embedded_io_async::{Read, Write};
use futures_lite::future::block_on;
use std::net::TcpListener;

struct Application;

impl Handler for Application {
    type Error<E: Debug> = Error<E>;

    async fn handle<T: Read + Write, const N: usize>(
        &self,
        _: impl Display + Copy,
        connection: &mut Connection<'_, T, N>,
    ) -> Result<(), Self::Error<T::Error>> {
        let length = connection.headers()?.path == "/length";
        let fields: &[(&str, &str)] = if length { &[("Content-Length", "4")] } else { &[] };
        connection.initiate_response(200, None, fields).await?;
        connection.write_all(b"text").await
    }
}

fn serve_by_edge_http() -> String {
    let address = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let acceptor = block_on(edge_nal_std::Stack::new().bind(address)).unwrap();
    std::thread::spawn(move || block_on(DefaultServer::new().run(None, acceptor, Application)).unwrap());
    format!("http://{address}")
}

fn serve(chunks: &'static str) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        let (mut socket, _) = listener.accept().unwrap();
        let head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
        std::io::Write::write_all(&mut socket, format!("{head}{chunks}").as_bytes()).unwrap();
        while matches!(std::io::Read::read(&mut socket, &mut [0; 512]), Ok(1..)) {}
    });
    url
}

async fn get(url: &str) -> Result<String, reqwless::Error> {
    let network = std_embedded_nal_async::Stack::default();
    let mut client = reqwless::client::HttpClient::new(&network, &network);
    let mut buffer = [0; 4096];
    let mut request = client.request(reqwless::request::Method::GET, url).await?;
    let content = request.send(&mut buffer).await?.body().read_to_end().await?;
    Ok(String::from_utf8_lossy(content).into())
}

fn main() {
    let edge_http = serve_by_edge_http();
    for (name, url) in [
        ("edge-http, length", format!("{edge_http}/length")),
        ("edge-http, chunks", format!("{edge_http}/chunks")),
        ("socket, chunks", serve("4\r\ntext\r\n0\r\n\r\n")),
        ("socket, extension", serve("4;a=b\r\ntext\r\n0\r\n\r\n")),
        ("socket, trailer", serve("4\r\ntext\r\n0\r\nX-Checksum: 1\r\n\r\n")),
    ] {
        println!("{name}: {:?}", block_on(get(&url)));
    }
}
RS
cargo build --quiet 2>cargo.log || { cat cargo.log; exit 1; }
target/debug/devices | tee out.txt
diff out.txt - <<'TEXT'
edge-http, length: Ok("text")
edge-http, chunks: Err(Codec)
socket, chunks: Ok("text")
socket, extension: Err(Codec)
socket, trailer: Err(Codec)
TEXT
