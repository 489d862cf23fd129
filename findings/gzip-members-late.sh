#!/usr/bin/env bash
# Content-Encoding: gzip with two members (RFC 1952 2.2), as in logs that are appended to, in Java 17:
# java.util.zip.GZIPInputStream on what java.net.http receives, as is usual since that client does not decode, Apache
# HttpClient 5.6.5 and Jetty 12.1.5. The server sends all at once, or pauses between the members.
#
# A guess: all decode all of it.
# Found: Jetty does. GZIPInputStream looks for another member only if available() reports bytes, so the content ends
# after the first one, without an error, if the second has not arrived yet; HttpClient decodes with it. The same log is
# complete on a fast network and cut in half on a slow one, and a test on one machine sees no difference.
#
# Fails if that changes. Needs Java 17 and Maven.
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
      <groupId>org.eclipse.jetty</groupId><artifactId>jetty-client</artifactId><version>12.1.5</version>
    </dependency>
  </dependencies>
</project>
XML
mvn --quiet --batch-mode dependency:copy-dependencies -DoutputDirectory=lib >maven.log 2>&1
cat >Run.java <<'JAVA'
import com.sun.net.httpserver.HttpServer;
import java.io.*;
import java.net.*;
import java.net.http.*;
import java.util.*;
import java.util.zip.*;
import org.apache.hc.client5.http.classic.methods.HttpGet;
import org.apache.hc.client5.http.impl.classic.HttpClients;
import org.apache.hc.core5.http.io.entity.EntityUtils;

class Run {
  interface Get {
    byte[] content(String url) throws Exception;
  }

  static byte[] gzip(String text) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (GZIPOutputStream member = new GZIPOutputStream(bytes)) {
      member.write(text.getBytes());
    }
    return bytes.toByteArray();
  }

  public static void main(String[] args) throws Exception {
    byte[] first = gzip("first\n".repeat(1000)), second = gzip("second\n".repeat(1000));
    HttpServer server = HttpServer.create(new InetSocketAddress("127.0.0.1", 0), 0);
    server.createContext("/", exchange -> {
      exchange.getResponseHeaders().set("Content-Encoding", "gzip");
      exchange.sendResponseHeaders(200, first.length + second.length);
      try (OutputStream body = new BufferedOutputStream(exchange.getResponseBody(), 10_000)) {
        body.write(first);
        if (exchange.getRequestURI().getPath().equals("/pause")) {
          body.flush();
          Thread.sleep(300);
        }
        body.write(second);
      } catch (InterruptedException error) {
        throw new IOException(error);
      }
    });
    server.start();
    var java = HttpClient.newHttpClient();
    var apache = HttpClients.createDefault();
    var jetty = new org.eclipse.jetty.client.HttpClient();
    jetty.start();
    Map<String, Get> clients = new LinkedHashMap<>();
    clients.put("GZIPInputStream", url -> {
      HttpRequest request = HttpRequest.newBuilder(URI.create(url)).build();
      InputStream body = java.send(request, HttpResponse.BodyHandlers.ofInputStream()).body();
      try (InputStream content = new GZIPInputStream(body)) {
        return content.readAllBytes();
      }
    });
    clients.put("HttpClient", url ->
      apache.execute(new HttpGet(url), response -> EntityUtils.toByteArray(response.getEntity())));
    clients.put("Jetty", url -> jetty.GET(url).getContent());
    for (var client : clients.entrySet()) {
      for (String path : new String[] {"/at-once", "/pause"}) {
        byte[] content = client.getValue().content("http://127.0.0.1:" + server.getAddress().getPort() + path);
        System.out.println(client.getKey() + ", " + path.substring(1) + ": " + content.length + " of 13000 bytes");
      }
    }
    System.exit(0);
  }
}
JAVA
java -cp 'lib/*' Run.java 2>java.log | tee out.txt
diff out.txt - <<'TEXT'
GZIPInputStream, at-once: 13000 of 13000 bytes
GZIPInputStream, pause: 6000 of 13000 bytes
HttpClient, at-once: 13000 of 13000 bytes
HttpClient, pause: 6000 of 13000 bytes
Jetty, at-once: 13000 of 13000 bytes
Jetty, pause: 13000 of 13000 bytes
TEXT
