#!/usr/bin/env bash
# HTTP servers for Java: Undertow 2.4.4.Final, jlhttp 3.2, microhttp 0.11, NanoHTTPD 2.3.1 and that of the JDK receive a
# GET with `Connection: close`, with the list `TE, close`, such as Perl's LWP sends, or with both options in two fields.
# In each case the server has to close the connection after the response (RFC 9110 7.6.1, RFC 9112 9.6).
#
# A guess: all five do so each time.
# Found: only NanoHTTPD does. Undertow, jlhttp and the JDK keep the connection open for the list and for two fields,
# microhttp in all cases. A client that reads to the end of the connection waits for the server's idle timeout, and the
# server keeps connections that nobody will use.
#
# Fails if that changes. Needs Java 17 or later, Maven and Python 3.
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
    <dependency><groupId>net.freeutils</groupId><artifactId>jlhttp</artifactId><version>3.2</version></dependency>
    <dependency><groupId>org.microhttp</groupId><artifactId>microhttp</artifactId><version>0.11</version></dependency>
    <dependency><groupId>org.nanohttpd</groupId><artifactId>nanohttpd</artifactId><version>2.3.1</version></dependency>
  </dependencies>
</project>
XML
mvn --quiet --batch-mode dependency:copy-dependencies -DoutputDirectory=lib >maven.log 2>&1
cat >Servers.java <<'JAVA'
import fi.iki.elonen.NanoHTTPD;
import io.undertow.Undertow;
import java.net.InetSocketAddress;
import java.util.List;
import org.microhttp.EventLoop;
import org.microhttp.OptionsBuilder;
import org.microhttp.Response;

class Servers {
  public static void main(String[] ports) throws Exception {
    int[] port = java.util.Arrays.stream(ports).mapToInt(Integer::parseInt).toArray();
    Undertow.builder().addHttpListener(port[0], "127.0.0.1")
        .setHandler(exchange -> exchange.getResponseSender().send("text")).build().start();
    var jlhttp = new net.freeutils.httpserver.HTTPServer(port[1]);
    jlhttp.getVirtualHost(null).addContext("/", (request, response) -> { response.send(200, "text"); return 0; });
    jlhttp.start();
    new EventLoop(OptionsBuilder.newBuilder().withHost("127.0.0.1").withPort(port[2]).build(), (request, callback) ->
        callback.accept(new Response(200, "OK", List.of(), "text".getBytes()))).start();
    new NanoHTTPD("127.0.0.1", port[3]) {
      @Override public Response serve(IHTTPSession session) {
        return newFixedLengthResponse("text");
      }
    }.start();
    var jdk = com.sun.net.httpserver.HttpServer.create(new InetSocketAddress("127.0.0.1", port[4]), 0);
    jdk.createContext("/", exchange -> {
      exchange.sendResponseHeaders(200, 4);
      exchange.getResponseBody().write("text".getBytes());
      exchange.close();
    });
    jdk.start();
    System.out.println("listening");
  }
}
JAVA
cat >run.py <<'PY'
import socket
import subprocess

NAMES = ["Undertow", "jlhttp", "microhttp", "NanoHTTPD", "JDK"]
FORMS = {
    "close": "Connection: close\r\n",
    "TE, close": "TE: trailers\r\nConnection: TE, close\r\n",
    "TE and close": "TE: trailers\r\nConnection: TE\r\nConnection: close\r\n",
}
listeners = [socket.create_server(("127.0.0.1", 0)) for _ in NAMES]
ports = [str(listener.getsockname()[1]) for listener in listeners]
for listener in listeners:
    listener.close()
java = subprocess.Popen(
    ["java", "-cp", "lib/*", "Servers.java", *ports], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
)
try:
    java.stdout.readline()
    for name, port in zip(NAMES, ports):
        for form, fields in FORMS.items():
            with socket.create_connection(("127.0.0.1", int(port)), 2) as connection:
                connection.sendall(f"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n{fields}\r\n".encode())
                received = b""
                try:
                    while data := connection.recv(4096):
                        received += data
                    end = "closed"
                except TimeoutError:
                    end = "still open after two seconds"
                print(f"{name}, {form}: {received.split()[1].decode()}, {end}")
finally:
    java.kill()
    java.wait()
PY
python3 run.py | tee out.txt
diff out.txt - <<'TEXT'
Undertow, close: 200, closed
Undertow, TE, close: 200, still open after two seconds
Undertow, TE and close: 200, still open after two seconds
jlhttp, close: 200, closed
jlhttp, TE, close: 200, still open after two seconds
jlhttp, TE and close: 200, still open after two seconds
microhttp, close: 200, still open after two seconds
microhttp, TE, close: 200, still open after two seconds
microhttp, TE and close: 200, still open after two seconds
NanoHTTPD, close: 200, closed
NanoHTTPD, TE, close: 200, closed
NanoHTTPD, TE and close: 200, closed
JDK, close: 200, closed
JDK, TE, close: 200, still open after two seconds
JDK, TE and close: 200, still open after two seconds
TEXT
