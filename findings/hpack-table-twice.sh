#!/usr/bin/env bash
# Jetty 12.1.5 and grpcio 1.85.3 as HTTP/2 clients: between two requests, a server, Node 24.21.0, sends
# SETTINGS_HEADER_TABLE_SIZE 0 and then 4096 again, so that clients empty their tables. RFC 7541 4.2 then requires both
# sizes at the start of the next header block.
#
# A guess: the next request succeeds, as it does after either change alone.
# Found: it fails with both, along with everything that is in progress: the server has to end the connection with
# COMPRESSION_ERROR (9), since the header block does not begin as the RFC requires. After 0 alone, and 4096 later, all
# is well. gRPC for Ruby, PHP and C++ shares the core of grpcio.
#
# Fails if that changes. Needs Node 20 or later, npm, Java 17 or later, Maven, and Python 3.10 or later with pip and
# venv, on Linux or macOS.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
platform=$(node -p '`${process.platform}-${process.arch}`')
npm init --yes >npm.log
npm install --no-audit --no-fund --ignore-scripts "node@npm:node-$platform@24.21.0" >>npm.log 2>&1
python3 -m venv venv
venv/bin/pip install --quiet grpcio==1.85.3 >pip.log 2>&1
cat >pom.xml <<'XML'
<project>
  <modelVersion>4.0.0</modelVersion>
  <groupId>finding</groupId><artifactId>finding</artifactId><version>1</version>
  <dependencies>
    <dependency>
      <groupId>org.eclipse.jetty.http2</groupId>
      <artifactId>jetty-http2-client-transport</artifactId><version>12.1.5</version>
    </dependency>
  </dependencies>
</project>
XML
mvn --quiet --batch-mode dependency:copy-dependencies -DoutputDirectory=lib >maven.log 2>&1
cat >Client.java <<'JAVA'
import java.util.concurrent.*;
import org.eclipse.jetty.client.HttpClient;
import org.eclipse.jetty.http2.client.HTTP2Client;
import org.eclipse.jetty.http2.client.transport.HttpClientTransportOverHTTP2;

class Client {
  public static void main(String[] urls) throws Exception {
    HttpClient client = new HttpClient(new HttpClientTransportOverHTTP2(new HTTP2Client()));
    client.start();
    for (String path : new String[] {"/", "/0", "/", "/4096", "/", "/0/4096", "/", "/"}) {
      String result;
      try {
        result = "" + client.newRequest(urls[0] + path).timeout(5, TimeUnit.SECONDS).send().getStatus();
      } catch (ExecutionException | TimeoutException error) {
        result = "" + (error.getCause() == null ? error : error.getCause());
      }
      System.out.println("Jetty " + path + " " + result);
    }
    System.exit(0);
  }
}
JAVA
cat >client.py <<'PY'
import sys

import grpc

with grpc.insecure_channel(sys.argv[1].removeprefix("http://")) as channel:
    for path in ("/", "/0", "/", "/4096", "/", "/0/4096", "/", "/"):
        try:
            channel.unary_unary(path)(b"", timeout=5)
            print("grpcio", path, "OK")
        except grpc.RpcError as error:
            print("grpcio", path, error.code().name, error.details())
PY
cat >run.mjs <<'JS'
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http2';
import { setTimeout as pause } from 'node:timers/promises';

const server = createServer();
const errors = [];
server.on('session', (session) => session.on('error', (error) => errors.push(error.message)));
server.on('stream', async (stream, { ':path': path }) => {
  stream.on('error', () => undefined);
  for (const size of path.match(/\d+/g) ?? []) stream.session.settings({ headerTableSize: Number(size) });
  await pause(100);
  if (stream.destroyed) return;
  stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true });
  stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }));
  stream.end(Buffer.alloc(5));
});
server.listen(0, '127.0.0.1');
await once(server, 'listening');
const url = `http://127.0.0.1:${server.address().port}`;
for (const [program, ...args] of [['java', '-cp', 'lib/*', 'Client.java'], ['venv/bin/python', 'client.py']])
  await once(spawn(program, [...args, url], { stdio: ['ignore', 'inherit', 'ignore'] }), 'close');
console.log(`errors of the server: ${errors}`);
process.exit();
JS
node_modules/node/bin/node run.mjs | tee out.txt
diff out.txt - <<'TEXT'
Jetty / 200
Jetty /0 200
Jetty / 200
Jetty /4096 200
Jetty / 200
Jetty /0/4096 200
Jetty / java.io.IOException: cancel_stream_error/input_shutdown
Jetty / 200
grpcio / OK
grpcio /0 OK
grpcio / OK
grpcio /4096 OK
grpcio / OK
grpcio /0/4096 OK
grpcio / UNAVAILABLE Stream removed (Socket closed (GOAWAY received; Error code: 9; Debug Text: ))
grpcio / OK
errors of the server: Protocol error,Protocol error
TEXT
