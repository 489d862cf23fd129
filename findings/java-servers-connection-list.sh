#!/usr/bin/env bash
# Embedded servers of Java, HttpServer of the JDK (17 and 25), Undertow 2.4.4, Vert.x 5.0.7 and Jetty 12.1.14:
# `Connection: TE, close`, as a client sends that has a TE field, and `Connection: TE, keep-alive` on HTTP/1.0.
#
# A guess: all find their option in the list (RFC 9110 7.6.1). They close after a response to the first, as they must
# (RFC 9112 9.6), and not after one to the second.
# Found: so does Jetty. The others know `close` only by itself, in any place of a list they overlook it, and the connection
# stays open. Undertow and Vert.x close on HTTP/1.0. HttpServer keeps a connection of HTTP/1.0 whenever Connection names
# anything. A client that reads to the end waits for the idle timeout of the server, which holds the socket until then.
#
# Fails if that changes. Needs Java 17 or later and Maven.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
cat >pom.xml <<'XML'
<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>servers</groupId><artifactId>servers</artifactId><version>1</version>
  <dependencies>
    <dependency><groupId>io.undertow</groupId><artifactId>undertow-core</artifactId><version>2.4.4.Final</version></dependency>
    <dependency><groupId>io.vertx</groupId><artifactId>vertx-core</artifactId><version>5.0.7</version></dependency>
    <dependency><groupId>org.eclipse.jetty</groupId><artifactId>jetty-server</artifactId><version>12.1.14</version></dependency>
  </dependencies>
</project>
XML
mvn -q -B org.apache.maven.plugins:maven-dependency-plugin:3.8.1:build-classpath -Dmdep.outputFile=classpath.txt >mvn.log
cat >Run.java <<'JAVA'
import com.sun.net.httpserver.HttpServer;
import io.undertow.Undertow;
import io.vertx.core.Vertx;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.util.LinkedHashMap;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.*;
import org.eclipse.jetty.util.Callback;

public class Run {
  static String outcome(int port, String version, String options) throws Exception {
    try (var socket = new Socket("127.0.0.1", port)) {
      socket.setSoTimeout(1500);
      var fields = "Host: localhost\r\nTE: gzip\r\nConnection: " + options + "\r\n\r\n";
      socket.getOutputStream().write(("GET / " + version + "\r\n" + fields).getBytes());
      socket.getInputStream().readAllBytes();
      return "closed";
    } catch (SocketTimeoutException stillOpen) {
      return "open";
    }
  }

  public static void main(String[] arguments) throws Exception {
    var ports = new LinkedHashMap<String, Integer>();

    var jdk = HttpServer.create(new InetSocketAddress("127.0.0.1", 0), 0);
    jdk.createContext("/", exchange -> {
      exchange.sendResponseHeaders(200, 2);
      exchange.getResponseBody().write("ok".getBytes());
      exchange.close();
    });
    jdk.start();
    ports.put("HttpServer", jdk.getAddress().getPort());
    var undertow = Undertow.builder().addHttpListener(0, "127.0.0.1")
        .setHandler(exchange -> exchange.getResponseSender().send("ok")).build();
    undertow.start();
    ports.put("Undertow", ((InetSocketAddress) undertow.getListenerInfo().get(0).getAddress()).getPort());
    var vertx = Vertx.vertx().createHttpServer().requestHandler(request -> request.response().end("ok"));
    ports.put("Vert.x", vertx.listen(0, "127.0.0.1").toCompletionStage().toCompletableFuture().get().actualPort());
    var jetty = new Server(new InetSocketAddress("127.0.0.1", 0));
    jetty.setHandler(new Handler.Abstract() {
      public boolean handle(Request request, Response response, Callback callback) {
        Content.Sink.write(response, true, "ok", callback);
        return true;
      }
    });
    jetty.start();
    ports.put("Jetty", ((ServerConnector) jetty.getConnectors()[0]).getLocalPort());

    for (var server : ports.entrySet()) {
      var line = new StringBuilder(server.getKey());
      for (var options : new String[] {"close", "TE, close", "close, TE"}) {
        line.append("; " + options + ": " + outcome(server.getValue(), "HTTP/1.1", options));
      }
      for (var options : new String[] {"TE", "keep-alive", "TE, keep-alive"}) {
        line.append("; 1.0 " + options + ": " + outcome(server.getValue(), "HTTP/1.0", options));
      }
      System.out.println(line);
    }
    System.exit(0);
  }
}
JAVA
java -cp "$(cat classpath.txt)" Run.java 2>java.log | tee out.txt
diff out.txt - <<'TEXT'
HttpServer; close: closed; TE, close: open; close, TE: open; 1.0 TE: open; 1.0 keep-alive: open; 1.0 TE, keep-alive: open
Undertow; close: closed; TE, close: open; close, TE: open; 1.0 TE: closed; 1.0 keep-alive: open; 1.0 TE, keep-alive: closed
Vert.x; close: closed; TE, close: open; close, TE: open; 1.0 TE: closed; 1.0 keep-alive: open; 1.0 TE, keep-alive: closed
Jetty; close: closed; TE, close: closed; close, TE: closed; 1.0 TE: closed; 1.0 keep-alive: open; 1.0 TE, keep-alive: open
TEXT
