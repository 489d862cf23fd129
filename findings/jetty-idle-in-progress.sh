#!/usr/bin/env bash
# Jetty 12.1.5 beside Undertow 2.4.4, both with an idle timeout of one second (Jetty's default is 30 s), over HTTP/1.1
# and HTTP/2: a GET, and a POST of two bytes, whose handlers take three seconds, and read the content before that, after
# that, or not at all.
#
# A guess: all complete, since a connection with a request in progress is not idle.
# Found: Undertow completes all. Jetty answers 500 where the content is read after the timeout, though a GET has none,
# and the two bytes of the POST came with the request: the timeout of the connection becomes a failure of the content. A
# handler that first waits for a slow service and then reads its request fails, while those that read first, or not at
# all, complete.
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
      <groupId>io.undertow</groupId><artifactId>undertow-core</artifactId><version>2.4.4.Final</version>
    </dependency>
    <dependency>
      <groupId>org.eclipse.jetty.http2</groupId><artifactId>jetty-http2-server</artifactId><version>12.1.5</version>
    </dependency>
  </dependencies>
</project>
XML
mvn --quiet --batch-mode dependency:copy-dependencies -DoutputDirectory=lib >maven.log 2>&1
cat >Server.java <<'JAVA'
import io.undertow.*;
import io.undertow.server.handlers.BlockingHandler;
import java.io.*;
import java.net.InetSocketAddress;
import org.eclipse.jetty.http2.server.HTTP2CServerConnectionFactory;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.*;
import org.eclipse.jetty.util.Callback;

class Server {
  /** Works for three seconds, and reads the content as the path says. */
  static String work(String path, InputStream content) throws Exception {
    int length = path.equals("/before") ? content.readAllBytes().length : 0;
    Thread.sleep(3000);
    return "read " + (path.equals("/after") ? content.readAllBytes().length : length);
  }

  public static void main(String[] args) throws Exception {
    var undertow = Undertow.builder().addHttpListener(0, "127.0.0.1")
        .setServerOption(UndertowOptions.ENABLE_HTTP2, true)
        .setServerOption(UndertowOptions.IDLE_TIMEOUT, 1000)
        .setServerOption(UndertowOptions.NO_REQUEST_TIMEOUT, 1000)
        .setHandler(new BlockingHandler(exchange ->
            exchange.getResponseSender().send(work(exchange.getRequestPath(), exchange.getInputStream())))).build();
    undertow.start();
    var jetty = new org.eclipse.jetty.server.Server();
    var connector = new ServerConnector(jetty, new HttpConnectionFactory(), new HTTP2CServerConnectionFactory());
    connector.setIdleTimeout(1000);
    jetty.addConnector(connector);
    jetty.setHandler(new Handler.Abstract() {
      public boolean handle(Request request, Response response, Callback callback) throws Exception {
        String text = work(request.getHttpURI().getPath(), Content.Source.asInputStream(request));
        Content.Sink.write(response, true, text, callback);
        return true;
      }
    });
    jetty.start();
    int port = ((InetSocketAddress) undertow.getListenerInfo().get(0).getAddress()).getPort();
    System.out.println(port + " " + connector.getLocalPort());
  }
}
JAVA
cat >run.mjs <<'JS'
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import * as http from 'node:http';
import * as http2 from 'node:http2';
import { text } from 'node:stream/consumers';

const java = spawn('java', ['-cp', 'lib/*', 'Server.java'], { stdio: ['ignore', 'pipe', 'ignore'] });
const ports = `${await once(java.stdout, 'data')}`.trim().split(' ');

async function overHttp1(port, method, path) {
  const sent = http.request({ port, host: '127.0.0.1', agent: false, method, path }).end(method === 'POST' ? 'ab' : undefined);
  const [response] = await once(sent, 'response');
  return `${response.statusCode} ${(await text(response)).startsWith('read') ? 'complete' : 'error'}`;
}

async function overHttp2(port, method, path) {
  const session = http2.connect(`http://127.0.0.1:${port}`).on('error', () => undefined);
  const sent = session.request({ ':method': method, ':path': path }).end(method === 'POST' ? 'ab' : undefined);
  const [fields] = await once(sent, 'response');
  return `${fields[':status']} ${(await text(sent)).startsWith('read') ? 'complete' : 'error'}`;
}

for (const [at, name] of ['Undertow', 'Jetty'].entries())
  for (const [version, send] of Object.entries({ 'HTTP/1.1': overHttp1, 'HTTP/2': overHttp2 }))
    for (const method of ['GET', 'POST']) {
      const outcomes = ['before', 'after', 'never'].map(async (when) => {
        const outcome = await send(ports[at], method, `/${when}`).catch((error) => error.code ?? error.message);
        return `${when}: ${outcome}`;
      });
      console.log(`${name}, ${version}, ${method}; read ${(await Promise.all(outcomes)).join(', ')}`);
    }
java.kill();
process.exit();
JS
timeout 100 node run.mjs | tee out.txt
diff out.txt - <<'TEXT'
Undertow, HTTP/1.1, GET; read before: 200 complete, after: 200 complete, never: 200 complete
Undertow, HTTP/1.1, POST; read before: 200 complete, after: 200 complete, never: 200 complete
Undertow, HTTP/2, GET; read before: 200 complete, after: 200 complete, never: 200 complete
Undertow, HTTP/2, POST; read before: 200 complete, after: 200 complete, never: 200 complete
Jetty, HTTP/1.1, GET; read before: 200 complete, after: 500 error, never: 200 complete
Jetty, HTTP/1.1, POST; read before: 200 complete, after: 500 error, never: 200 complete
Jetty, HTTP/2, GET; read before: 200 complete, after: 500 error, never: 200 complete
Jetty, HTTP/2, POST; read before: 200 complete, after: 500 error, never: 200 complete
TEXT
