#!/usr/bin/env bash
# Apache HttpClient 5.6.5 as an HTTP/2 client: while a request is in progress, the server sends a frame that it may
# send at any time: PING, ALTSVC (RFC 7838 4) for the stream or an origin, ORIGIN (RFC 8336), or
# SETTINGS_INITIAL_WINDOW_SIZE 0.
#
# A guess: 200 each time: a client ignores frames of unknown types (RFC 9113 5.5), and a window of 0 only holds back
# the content of requests (RFC 9113 6.9.2).
# Found: only PING is harmless. ALTSVC and ORIGIN end the connection with a NullPointerException, as the client has no
# name for their types; the window of 0 is treated as a connection error. Servers that coalesce origins cannot announce
# it to these clients.
#
# Fails if that changes. Needs Node 20 or later, Java 17 or later and Maven.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
cat >pom.xml <<'XML'
<project>
  <modelVersion>4.0.0</modelVersion>
  <groupId>finding</groupId><artifactId>finding</artifactId><version>1</version>
  <dependencies>
    <dependency>
      <groupId>org.apache.httpcomponents.client5</groupId><artifactId>httpclient5</artifactId><version>5.6.5</version>
    </dependency>
  </dependencies>
</project>
XML
mvn --quiet --batch-mode dependency:copy-dependencies -DoutputDirectory=lib >maven.log 2>&1
cat >Client.java <<'JAVA'
import java.util.concurrent.*;
import org.apache.hc.client5.http.async.methods.SimpleHttpRequest;
import org.apache.hc.client5.http.impl.async.HttpAsyncClients;

class Client {
  public static void main(String[] urls) throws Exception {
    for (String path : new String[] {"/ping", "/altsvc-stream", "/altsvc-origin", "/origin", "/window"}) {
      var client = HttpAsyncClients.createHttp2Default();
      client.start();
      String result;
      try {
        result = "" + client.execute(SimpleHttpRequest.create("GET", urls[0] + path), null).get(5, TimeUnit.SECONDS).getCode();
      } catch (ExecutionException error) {
        result = error.getCause().getClass().getSimpleName() + ": " + error.getCause().getMessage();
      }
      System.out.println(path + ": " + result);
    }
    System.exit(0);
  }
}
JAVA
cat >run.mjs <<'JS'
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http2';
import { setTimeout as pause } from 'node:timers/promises';

const send = {
  '/ping': ({ session }) => session.ping(() => undefined),
  '/altsvc-stream': ({ session, id }) => session.altsvc('h2=":8000"', id),
  '/altsvc-origin': ({ session }) => session.altsvc('h2=":8000"', 'http://127.0.0.1'),
  '/origin': ({ session }) => session.origin('https://origin.example'),
  '/window': ({ session }) => session.settings({ initialWindowSize: 0 }),
};
const server = createServer();
server.on('session', (session) => session.on('error', () => undefined));
server.on('stream', async (stream, { ':path': path }) => {
  stream.on('error', () => undefined);
  send[path](stream);
  await pause(100);
  if (!stream.destroyed) stream.respond({ ':status': 200 }, { endStream: true });
});
server.listen(0, '127.0.0.1');
await once(server, 'listening');
const url = `http://127.0.0.1:${server.address().port}`;
await once(spawn('java', ['-cp', 'lib/*', 'Client.java', url], { stdio: ['ignore', 'inherit', 'ignore'] }), 'close');
process.exit();
JS
node run.mjs | tee out.txt
diff out.txt - <<'TEXT'
/ping: 200
/altsvc-stream: NullPointerException: Cannot invoke "org.apache.hc.core5.http2.frame.FrameType.ordinal()" because "frameType" is null
/altsvc-origin: NullPointerException: Cannot invoke "org.apache.hc.core5.http2.frame.FrameType.ordinal()" because "frameType" is null
/origin: NullPointerException: Cannot invoke "org.apache.hc.core5.http2.frame.FrameType.ordinal()" because "frameType" is null
/window: H2ConnectionException: Initial window size must not be negative or zero: 0
TEXT
