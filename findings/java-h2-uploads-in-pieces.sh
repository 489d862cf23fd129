#!/usr/bin/env bash
# Tomcat 11.0.14 and Undertow 2.4.4 embedded, with their default settings, HTTP/2 without TLS: a GET whose response
# takes five seconds and, on the same connection, an upload of unknown length: ten pieces of 20 bytes, one every 50 ms,
# such as lines of a log, or 1 MB or 3 MB in pieces of 2000 bytes.
#
# A guess: Tomcat ends the connection with ENHANCE_YOUR_CALM after about a hundred small pieces, since it counts small
# DATA frames as overhead; Undertow receives all of it.
# Found: ten small pieces are too many for Tomcat. Undertow also ends the connection, at 3 MB though not at 1 MB.
# Neither the upload nor the GET beside it gets a response, not even 413 (Content Too Large): a proxy that forwards a
# device's lines as they come, or a large file, loses all other requests of that connection.
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
      <groupId>org.apache.tomcat.embed</groupId><artifactId>tomcat-embed-core</artifactId><version>11.0.14</version>
    </dependency>
    <dependency>
      <groupId>io.undertow</groupId><artifactId>undertow-core</artifactId><version>2.4.4.Final</version>
    </dependency>
  </dependencies>
</project>
XML
mvn --quiet --batch-mode dependency:copy-dependencies -DoutputDirectory=lib >maven.log 2>&1
cat >Server.java <<'JAVA'
import io.undertow.*;
import io.undertow.server.handlers.BlockingHandler;
import jakarta.servlet.http.*;
import java.io.*;
import java.net.InetSocketAddress;
import java.util.concurrent.locks.LockSupport;
import org.apache.catalina.startup.Tomcat;
import org.apache.coyote.http2.Http2Protocol;

class Server {
  /** The length of the content, or for a GET none after a while. */
  static String length(String method, InputStream content) throws IOException {
    if (method.equals("GET")) LockSupport.parkNanos(5_000_000_000L);
    return "" + content.transferTo(OutputStream.nullOutputStream());
  }

  public static void main(String[] args) throws Exception {
    Tomcat tomcat = new Tomcat();
    tomcat.setBaseDir("tomcat");
    tomcat.setPort(0);
    tomcat.getConnector().addUpgradeProtocol(new Http2Protocol());
    var context = tomcat.addContext("", null);
    Tomcat.addServlet(context, "length", new HttpServlet() {
      protected void service(HttpServletRequest request, HttpServletResponse response) throws IOException {
        response.getWriter().print(length(request.getMethod(), request.getInputStream()));
      }
    });
    context.addServletMappingDecoded("/", "length");
    tomcat.start();
    var undertow = Undertow.builder().addHttpListener(0, "127.0.0.1").setServerOption(UndertowOptions.ENABLE_HTTP2, true)
        .setHandler(new BlockingHandler(exchange -> exchange.getResponseSender()
            .send(length(exchange.getRequestMethod().toString(), exchange.getInputStream())))).build();
    undertow.start();
    var address = (InetSocketAddress) undertow.getListenerInfo().get(0).getAddress();
    System.out.println(tomcat.getConnector().getLocalPort() + " " + address.getPort());
  }
}
JAVA
cat >run.mjs <<'JS'
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:http2';
import { setTimeout as pause } from 'node:timers/promises';

const java = spawn('java', ['-cp', 'lib/*', 'Server.java'], { stdio: ['ignore', 'pipe', 'ignore'] });
const ports = `${await once(java.stdout, 'data')}`.trim().split(' ');

async function outcome(stream) {
  let text = '';
  stream.on('data', (piece) => (text += piece)).on('error', () => undefined);
  await new Promise((resolve) => stream.on('close', resolve));
  return text || 'no response';
}

for (const [at, name] of ['Tomcat', 'Undertow'].entries()) {
  for (const [count, size, every] of [[10, 20, 50], [500, 2000, 0], [1500, 2000, 0]]) {
    const session = connect(`http://127.0.0.1:${ports[at]}`).on('error', () => undefined);
    const get = outcome(session.request({ ':path': '/' }));
    const stream = session.request({ ':path': '/', ':method': 'POST' });
    const post = outcome(stream);
    for (let sent = 0; sent < count && !stream.destroyed; sent++) {
      await new Promise((written) => stream.write(Buffer.alloc(size), written));
      if (every) await pause(every);
    }
    stream.end();
    console.log(`${name}, ${count} times ${size} bytes: ${await post}, GET: ${await get}`);
    session.destroy();
  }
}
java.kill();
process.exit();
JS
timeout 100 node run.mjs | tee out.txt
diff out.txt - <<'TEXT'
Tomcat, 10 times 20 bytes: no response, GET: no response
Tomcat, 500 times 2000 bytes: 1000000, GET: 0
Tomcat, 1500 times 2000 bytes: 3000000, GET: 0
Undertow, 10 times 20 bytes: 200, GET: 0
Undertow, 500 times 2000 bytes: 1000000, GET: 0
Undertow, 1500 times 2000 bytes: no response, GET: no response
TEXT
