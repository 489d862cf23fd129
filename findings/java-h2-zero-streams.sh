#!/usr/bin/env bash
# Apache HttpClient 5.6.5 and Jetty 12.1.5 as HTTP/2 clients: a busy server sends SETTINGS_MAX_CONCURRENT_STREAMS 0 for
# a second (RFC 9113 6.5.2), while a request is in progress. Then another request follows.
#
# A guess: the first is completed, since the limit is for new streams; the other waits, or goes to another connection.
# Found: Jetty completes the first and fails the other with IllegalStateException. HttpClient treats the setting as a
# connection error, "must not be negative or zero", repeats the first on a new connection, and fails at the same
# setting there; the other goes to a third. A server that sheds load in this way causes errors in one client, and lost
# requests and new connections in the other.
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
import org.apache.hc.client5.http.async.methods.SimpleHttpRequest;
import org.apache.hc.client5.http.impl.async.HttpAsyncClients;
import org.eclipse.jetty.client.*;
import org.eclipse.jetty.http2.client.HTTP2Client;
import org.eclipse.jetty.http2.client.transport.HttpClientTransportOverHTTP2;

class Client {
  interface Sender { Callable<Integer> get(String url); }

  static String text(Callable<Integer> result) throws Exception {
    try {
      return "" + result.call();
    } catch (ExecutionException error) {
      return error.getCause().getClass().getSimpleName() + ": " + error.getCause().getMessage();
    }
  }

  static void run(String name, String url, Sender sender) throws Exception {
    text(sender.get(url + "/first"));
    Callable<Integer> busy = sender.get(url + "/busy");
    Thread.sleep(400);
    Callable<Integer> other = sender.get(url + "/other");
    System.out.println(name + " in progress: " + text(busy));
    System.out.println(name + " other: " + text(other));
  }

  public static void main(String[] urls) throws Exception {
    var apache = HttpAsyncClients.createHttp2Default();
    apache.start();
    run("HttpClient", urls[0], url -> {
      var response = apache.execute(SimpleHttpRequest.create("GET", url), null);
      return () -> response.get().getCode();
    });
    HttpClient jetty = new HttpClient(new HttpClientTransportOverHTTP2(new HTTP2Client()));
    jetty.start();
    run("Jetty", urls[0], url -> {
      var response = new CompletableResponseListener(jetty.newRequest(url)).send();
      return () -> response.get().getStatus();
    });
    System.exit(0);
  }
}
JAVA
cat >run.mjs <<'JS'
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http2';
import { setTimeout as pause } from 'node:timers/promises';

const sessions = [];
const paths = [];
const server = createServer({ settings: { maxConcurrentStreams: 100 } });
server.on('session', (session) => {
  sessions.push(session);
  session.on('error', () => undefined);
});
server.on('stream', async (stream, { ':path': path }) => {
  stream.on('error', () => undefined);
  const { session } = stream;
  paths.push(`${path} on ${sessions.indexOf(session) + 1}`);
  if (path === '/busy') {
    session.settings({ maxConcurrentStreams: 0 });
    await pause(1000);
    if (session.destroyed) return;
    session.settings({ maxConcurrentStreams: 100 });
  }
  stream.respond({ ':status': 200 }, { endStream: true });
});
server.listen(0, '127.0.0.1');
await once(server, 'listening');
const url = `http://127.0.0.1:${server.address().port}`;
await once(spawn('java', ['-cp', 'lib/*', 'Client.java', url], { stdio: ['ignore', 'inherit', 'ignore'] }), 'close');
console.log(`connections: ${paths.join(', ')}`);
process.exit();
JS
node run.mjs | tee out.txt
diff out.txt - <<'TEXT'
HttpClient in progress: H2ConnectionException: Max concurrent streams must not be negative or zero: 0
HttpClient other: 200
Jetty in progress: 200
Jetty other: IllegalStateException: Max local stream count 0 exceeded: 1
connections: /first on 1, /busy on 1, /busy on 2, /other on 3, /first on 4, /busy on 4
TEXT
