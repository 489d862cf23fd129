#!/usr/bin/env bash
# edge-http 0.8.0, an HTTP server for microcontrollers in Rust: responses with 204 (No Content) and 304 (Not Modified)
# for which the handler gives neither a length nor content, on a persistent connection, read as bytes, and 20 times by
# Node's client.
#
# A guess: the empty line ends them, as RFC 9112 6.3 defines, and clients reuse the connection.
# Found: each has Transfer-Encoding, which 204 must not have (RFC 9112 6.1), and the last chunk, `0`, after the empty
# line. Node takes this chunk for the start of another response: if it arrives with the end of the header, the request
# fails with HPE_INVALID_CONSTANT. So a device answers 204 to a command that it has carried out, and the client reports
# an error, though not always.
#
# Fails if that changes. Needs cargo with Rust 1.88 or later, and Node 20 or later, on Linux or macOS.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
cat >Cargo.toml <<'TOML'
[package]
name = "device"
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
TOML
mkdir src
cat >src/main.rs <<'RS'
use core::fmt::{Debug, Display};
use edge_http::io::Error;
use edge_http::io::server::{Connection, DefaultServer, Handler};
use edge_nal::TcpBind;
use embedded_io_async::{Read, Write};

struct Application;

impl Handler for Application {
    type Error<E: Debug> = Error<E>;

    async fn handle<T: Read + Write, const N: usize>(
        &self,
        _: impl Display + Copy,
        connection: &mut Connection<'_, T, N>,
    ) -> Result<(), Self::Error<T::Error>> {
        let status = connection.headers()?.path[1..].parse().unwrap();
        connection.initiate_response(status, None, &[("ETag", "\"a\"")]).await
    }
}

fn main() {
    let address = std::env::args().nth(1).unwrap().parse().unwrap();
    futures_lite::future::block_on(async {
        let acceptor = edge_nal_std::Stack::new().bind(address).await.unwrap();
        DefaultServer::new().run(None, acceptor, Application).await.unwrap();
    });
}
RS
cargo build --quiet 2>cargo.log || { cat cargo.log; exit 1; }
cat >run.mjs <<'JS'
import { spawn } from 'node:child_process';
import * as http from 'node:http';
import * as net from 'node:net';
import { setTimeout } from 'node:timers/promises';

const port = await new Promise((resolve) => {
  const free = net.createServer().listen(0, '127.0.0.1', () => {
    const { port } = free.address();
    free.close(() => resolve(port));
  });
});
const device = spawn(process.argv[2], [`127.0.0.1:${port}`], { stdio: 'ignore' });
await setTimeout(1000);
for (const status of ['204', '304']) {
  const socket = net.connect(port, '127.0.0.1');
  socket.write(`GET /${status} HTTP/1.1\r\nHost: device\r\n\r\n`);
  let received = '';
  socket.on('data', (data) => (received += data));
  await setTimeout(500);
  socket.destroy();
  console.log(JSON.stringify(received));
  let failed = 0;
  for (let at = 0; at < 20; at++) {
    const request = http.get({ port, host: '127.0.0.1', path: `/${status}` }, (response) => response.resume());
    request.on('error', (error) => (failed += error.code === 'HPE_INVALID_CONSTANT' ? 1 : 0));
    await new Promise((resolve) => request.on('close', resolve));
  }
  console.log(`${status} with Node: ${failed === 0 ? 'succeeds' : 'fails with HPE_INVALID_CONSTANT'}`);
}
device.kill();
JS
node run.mjs target/debug/device | tee out.txt
diff out.txt - <<'TEXT'
"HTTP/1.1 204 \r\nETag: \"a\"\r\nConnection: Keep-Alive\r\nTransfer-Encoding: Chunked\r\n\r\n0\r\n\r\n"
204 with Node: fails with HPE_INVALID_CONSTANT
"HTTP/1.1 304 \r\nETag: \"a\"\r\nConnection: Keep-Alive\r\nTransfer-Encoding: Chunked\r\n\r\n0\r\n\r\n"
304 with Node: fails with HPE_INVALID_CONSTANT
TEXT
