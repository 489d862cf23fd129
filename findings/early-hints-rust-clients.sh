#!/usr/bin/env bash
# Synchronous HTTP clients for Rust, ureq 3.5.2, minreq 2.14.1 and attohttpc 0.30.1: a response preceded by 103 (Early
# Hints), or by a 100 (Continue) that nobody asked for.
#
# A guess: they skip it, as a client must be able to parse any number of 1xx responses before the final one (RFC 9110
# 15.2).
# Found: ureq skips both; attohttpc and minreq skip neither. They return 103 as the response, and the header section
# and content of the final response as its content. Behind a server that starts to send hints, such a client sees no
# error, only different bytes.
#
# Fails if that changes. Needs cargo with Rust 1.85 or later.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
cat >Cargo.toml <<'TOML'
[package]
name = "clients"
version = "0.1.0"
edition = "2021"

[dependencies]
attohttpc = { version = "=0.30.1", default-features = false }
minreq = "=2.14.1"
ureq = { version = "=3.5.2", default-features = false }
TOML
mkdir src
cat >src/main.rs <<'RS'
use std::io::{Read, Write};
use std::net::TcpListener;

const FINAL: &str = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok";

/// Answers three requests, and gives the URL.
fn serve(interim: &'static str) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        for stream in listener.incoming().take(3) {
            let mut stream = stream.unwrap();
            let mut request = Vec::new();
            let mut byte = [0];
            while !request.ends_with(b"\r\n\r\n") && stream.read(&mut byte).unwrap() == 1 {
                request.push(byte[0]);
            }
            write!(stream, "{interim}{FINAL}").unwrap();
        }
    });
    url
}

fn main() {
    for interim in [
        "",
        "HTTP/1.1 100 Continue\r\n\r\n",
        "HTTP/1.1 103 Early Hints\r\nLink: </style.css>; rel=preload\r\n\r\n",
    ] {
        let url = serve(interim);
        let mut by_ureq = ureq::get(&url).call().unwrap();
        println!("ureq {} {:?}", by_ureq.status().as_u16(), by_ureq.body_mut().read_to_string().unwrap());
        let by_minreq = minreq::get(&url).send().unwrap();
        println!("minreq {} {:?}", by_minreq.status_code, by_minreq.as_str().unwrap());
        let by_attohttpc = attohttpc::get(&url).send().unwrap();
        println!("attohttpc {} {:?}", by_attohttpc.status().as_u16(), by_attohttpc.text().unwrap());
    }
}
RS
cargo build --quiet 2>cargo.log || { cat cargo.log; exit 1; }
target/debug/clients | tee out.txt
diff out.txt - <<'TEXT'
ureq 200 "ok"
minreq 200 "ok"
attohttpc 200 "ok"
ureq 200 "ok"
minreq 100 "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok"
attohttpc 100 "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok"
ureq 200 "ok"
minreq 103 "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok"
attohttpc 103 "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok"
TEXT
