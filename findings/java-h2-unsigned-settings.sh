#!/usr/bin/env bash
# Apache HttpClient 5.6.5, Jetty 12.1.5 and OkHttp 5.3.2 as HTTP/2 clients of a server that means "no limit" by the
# largest value of a setting, 2^32-1. Node does so with MAX_CONCURRENT_STREAMS if its settings start from
# http2.getDefaultSettings().
#
# A guess: all send requests as with any other large number, since values are unsigned and have 32 bits (RFC 9113
# 6.5.1).
# Found: only OkHttp does. HttpClient refuses 2^32-1 in each of three settings and closes the connection. Jetty does so
# with MAX_HEADER_LIST_SIZE; with HEADER_TABLE_SIZE, it fails to encode the next request. 2^31-1 is harmless. A server
# that removes its limits loses requests of these clients, and only one of the errors, in Jetty, names the setting.
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
    <dependency>
      <groupId>com.squareup.okhttp3</groupId><artifactId>okhttp-jvm</artifactId><version>5.3.2</version>
    </dependency>
  </dependencies>
</project>
XML
mvn --quiet --batch-mode dependency:copy-dependencies -DoutputDirectory=lib >maven.log 2>&1
cat >Client.java <<'JAVA'
import java.util.List;
import java.util.concurrent.*;
import okhttp3.*;
import org.apache.hc.client5.http.async.methods.SimpleHttpRequest;
import org.apache.hc.client5.http.impl.async.HttpAsyncClients;
import org.eclipse.jetty.client.HttpClient;
import org.eclipse.jetty.http2.client.HTTP2Client;
import org.eclipse.jetty.http2.client.transport.HttpClientTransportOverHTTP2;

class Client {
  /** The second request: the first may be sent before the settings arrive. */
  static String second(Callable<Integer> send) throws InterruptedException {
    String result = null;
    for (int time = 0; time < 2; time++) {
      try {
        result = send.call().toString();
      } catch (Exception error) {
        Throwable cause = error instanceof ExecutionException ? error.getCause() : error;
        result = cause.getClass().getSimpleName() + " " + cause.getMessage().replaceFirst("encode .*", "encode");
      }
      Thread.sleep(300);
    }
    return result;
  }

  public static void main(String[] urls) throws Exception {
    for (String url : urls) {
      System.out.print(url.replaceFirst(".*/", "") + ":");
      var apache = HttpAsyncClients.createHttp2Default();
      apache.start();
      var get = SimpleHttpRequest.create("GET", url);
      System.out.print(" HttpClient " + second(() -> apache.execute(get, null).get().getCode()));
      HttpClient jetty = new HttpClient(new HttpClientTransportOverHTTP2(new HTTP2Client()));
      jetty.start();
      System.out.print(", Jetty " + second(() -> jetty.newRequest(url).send().getStatus()));
      var okhttp = new OkHttpClient.Builder().protocols(List.of(Protocol.H2_PRIOR_KNOWLEDGE)).build();
      var call = new Request.Builder().url(url).build();
      System.out.println(", OkHttp " + second(() -> okhttp.newCall(call).execute().code()));
    }
    System.exit(0);
  }
}
JAVA
cat >run.mjs <<'JS'
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, getDefaultSettings } from 'node:http2';

const cases = { default: { ...getDefaultSettings(), enablePush: false } };
for (const name of ['maxConcurrentStreams', 'headerTableSize', 'maxHeaderListSize'])
  for (const value of [2 ** 31 - 1, 2 ** 32 - 1]) cases[`${name}=${value}`] = { [name]: value };
const urls = [];
for (const [name, settings] of Object.entries(cases)) {
  const server = createServer({ settings });
  server.on('session', (session) => session.on('error', () => undefined));
  server.on('stream', (stream) => {
    stream.on('error', () => undefined);
    stream.respond({ ':status': 200 }, { endStream: true });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  urls.push(`http://127.0.0.1:${server.address().port}/${name}`);
}
const client = spawn('java', ['-cp', 'lib/*', 'Client.java', ...urls], { stdio: ['ignore', 'inherit', 'ignore'] });
await once(client, 'close');
process.exit();
JS
timeout 100 node run.mjs | tee out.txt
diff out.txt - <<'TEXT'
default: HttpClient RequestNotExecutedException Connection is closed, Jetty 200, OkHttp 200
maxConcurrentStreams=2147483647: HttpClient 200, Jetty 200, OkHttp 200
maxConcurrentStreams=4294967295: HttpClient RequestNotExecutedException Connection is closed, Jetty 200, OkHttp 200
headerTableSize=2147483647: HttpClient 200, Jetty 200, OkHttp 200
headerTableSize=4294967295: HttpClient RequestNotExecutedException Connection is closed, Jetty SessionException Could not hpack encode, OkHttp 200
maxHeaderListSize=2147483647: HttpClient 200, Jetty 200, OkHttp 200
maxHeaderListSize=4294967295: HttpClient RequestNotExecutedException Connection is closed, Jetty IOException protocol_error/invalid_settings_max_header_list_size, OkHttp 200
TEXT
