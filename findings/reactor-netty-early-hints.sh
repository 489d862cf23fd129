#!/usr/bin/env bash
# reactor-netty-http 1.3.7, the client below Spring's WebClient: 100, 102 (Processing) or 103 (Early Hints) before 200,
# from Node, over HTTP/1.1 and HTTP/2.
#
# A guess: it skips them (RFC 9110 15.2), and returns 200 with its content.
# Found: it skips only 100. It returns 102 and 103 as the response, without content, and 200 is lost, over both
# versions. An origin or proxy that begins to send early hints breaks every client of this kind.
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
      <groupId>io.projectreactor.netty</groupId><artifactId>reactor-netty-http</artifactId><version>1.3.7</version>
    </dependency>
  </dependencies>
</project>
XML
mvn --quiet --batch-mode dependency:copy-dependencies -DoutputDirectory=lib >maven.log 2>&1
cat >Client.java <<'JAVA'
import reactor.netty.http.HttpProtocol;
import reactor.netty.http.client.HttpClient;

class Client {
  public static void main(String[] ports) {
    HttpProtocol[] protocols = {HttpProtocol.HTTP11, HttpProtocol.H2C};
    for (int at = 0; at < 2; at++) {
      HttpClient client = HttpClient.newConnection().protocol(protocols[at]);
      for (String path : new String[] {"/200", "/100", "/102", "/103"}) {
        String url = "http://127.0.0.1:" + ports[at] + path;
        String result = client.get().uri(url)
            .responseSingle((response, content) ->
                content.asString().defaultIfEmpty("nothing").map(text -> response.status().code() + " " + text))
            .onErrorResume(error -> reactor.core.publisher.Mono.just(error.toString())).block();
        System.out.println(protocols[at] + " " + path + ": " + result);
      }
    }
    System.exit(0);
  }
}
JAVA
cat >run.mjs <<'JS'
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import * as http from 'node:http';
import * as http2 from 'node:http2';

const interim = {
  '/100': (response) => response.writeContinue(),
  '/102': (response) =>
    'stream' in response ? response.stream.additionalHeaders({ ':status': 102 }) : response.writeProcessing(),
  '/103': (response) => response.writeEarlyHints({ link: '</style.css>; rel=preload' }),
};
function answer(request, response) {
  interim[request.url]?.(response);
  response.end('content');
}
const servers = [http.createServer(answer), http2.createServer(answer)];
for (const server of servers) await once(server.listen(0, '127.0.0.1'), 'listening');
const ports = servers.map((server) => server.address().port);
await once(spawn('java', ['-cp', 'lib/*', 'Client.java', ...ports], { stdio: ['ignore', 'inherit', 'ignore'] }), 'close');
process.exit();
JS
node run.mjs | tee out.txt
diff out.txt - <<'TEXT'
HTTP11 /200: 200 content
HTTP11 /100: 200 content
HTTP11 /102: 102 nothing
HTTP11 /103: 103 nothing
H2C /200: 200 content
H2C /100: 200 content
H2C /102: 102 nothing
H2C /103: 103 nothing
TEXT
