#!/usr/bin/env bash
# Cookies in Java: java.net.http with a CookieManager, OkHttp 5.5.1 with the same behind its JavaNetCookieJar, Apache
# HttpClient 5.6.5 and Jetty 12.1.5. One response sets cookies as RFC 6265 4.1.1 allows; the output is the Cookie field
# of the next request.
#
# A guess: all four send what RFC 6265 5.3 and 5.4 say, except for quoted values in one or two.
# Found: each client differs. java.net takes a cookie with Max-Age alone, as many frameworks set it, for one of RFC
# 2965, and sends `$Version` and quotes that the value never had. If Expires comes before Max-Age, which has precedence,
# java.net ignores Max-Age, and Jetty does in one of two cases: java.net sends a deleted cookie, and neither sends a
# renewed one. All four remove quotes, which are part of the value. The jar of java.net, also behind OkHttp, takes `a`
# and `A` for one cookie. Jetty does not send the longer path first. So a session that works in browsers is lost, or
# does not end, in one of them.
#
# Fails if that changes. Needs Java 17 or later and Maven.
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
      <groupId>com.squareup.okhttp3</groupId><artifactId>okhttp-java-net-cookiejar</artifactId><version>5.5.1</version>
    </dependency>
    <dependency>
      <groupId>com.squareup.okhttp3</groupId><artifactId>okhttp-jvm</artifactId><version>5.5.1</version>
    </dependency>
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
import java.net.*;
import java.net.http.*;
import java.util.*;
import okhttp3.java.net.cookiejar.JavaNetCookieJar;
import org.apache.hc.client5.http.classic.methods.HttpGet;
import org.apache.hc.client5.http.impl.classic.HttpClients;
import org.apache.hc.core5.http.io.entity.EntityUtils;

class Run {
  interface Get {
    String content(String url) throws Exception;
  }

  static final String PAST = "Expires=Thu, 01 Jan 2015 00:00:00 GMT";
  static final String FUTURE = "Expires=Sun, 01 Jan 2062 00:00:00 GMT";
  static final String[][] CASES = {
    {"a=1; Max-Age=60"}, {"a=1; " + PAST + "; Max-Age=60"}, {"a=1; " + FUTURE + "; Max-Age=0"}, {"a=\"x\""},
    {"a=1", "A=2"}, {"a=1; Path=/", "b=2; Path=/get"},
  };

  static Map<String, Get> clients() throws Exception {
    var java = HttpClient.newBuilder().cookieHandler(new CookieManager()).build();
    var okHttp = new okhttp3.OkHttpClient.Builder().cookieJar(new JavaNetCookieJar(new CookieManager())).build();
    var apache = HttpClients.createDefault();
    var jetty = new org.eclipse.jetty.client.HttpClient();
    jetty.start();
    Map<String, Get> clients = new LinkedHashMap<>();
    clients.put("java.net", url ->
      java.send(HttpRequest.newBuilder(URI.create(url)).build(), HttpResponse.BodyHandlers.ofString()).body());
    clients.put("OkHttp", url -> {
      try (var response = okHttp.newCall(new okhttp3.Request.Builder().url(url).build()).execute()) {
        return response.body().string();
      }
    });
    clients.put("HttpClient", url ->
      apache.execute(new HttpGet(url), response -> EntityUtils.toString(response.getEntity())));
    clients.put("Jetty", url -> jetty.GET(url).getContentAsString());
    return clients;
  }

  public static void main(String[] args) throws Exception {
    HttpServer server = HttpServer.create(new InetSocketAddress("127.0.0.1", 0), 0);
    server.createContext("/", exchange -> {
      String path = exchange.getRequestURI().getPath();
      if (path.startsWith("/set/")) {
        for (String cookie : CASES[Integer.parseInt(path.substring(5))]) {
          exchange.getResponseHeaders().add("Set-Cookie", cookie.contains("Path") ? cookie : cookie + "; Path=/");
        }
      }
      byte[] content = exchange.getRequestHeaders().getOrDefault("Cookie", List.of("none")).get(0).getBytes();
      exchange.sendResponseHeaders(200, content.length);
      exchange.getResponseBody().write(content);
      exchange.close();
    });
    server.start();
    String origin = "http://127.0.0.1:" + server.getAddress().getPort();
    for (int index = 0; index < CASES.length; index++) {
      List<String> results = new ArrayList<>();
      for (var client : clients().entrySet()) {
        client.getValue().content(origin + "/set/" + index);
        results.add(client.getKey() + " " + client.getValue().content(origin + "/get"));
      }
      System.out.println(String.join(" and ", CASES[index]) + ": " + String.join(", ", results));
    }
    System.exit(0);
  }
}
JAVA
java -cp 'lib/*' Run.java 2>java.log | tee out.txt
diff out.txt - <<'TEXT'
a=1; Max-Age=60: java.net $Version="1"; a="1";$Path="/";$Domain="127.0.0.1", OkHttp a=1, HttpClient a=1, Jetty a=1
a=1; Expires=Thu, 01 Jan 2015 00:00:00 GMT; Max-Age=60: java.net none, OkHttp a=1, HttpClient a=1, Jetty none
a=1; Expires=Sun, 01 Jan 2062 00:00:00 GMT; Max-Age=0: java.net a=1, OkHttp none, HttpClient none, Jetty none
a="x": java.net a=x, OkHttp a=x, HttpClient a=x, Jetty a=x
a=1 and A=2: java.net A=2, OkHttp A=2, HttpClient a=1; A=2, Jetty a=1; A=2
a=1; Path=/ and b=2; Path=/get: java.net b=2; a=1, OkHttp b=2; a=1, HttpClient b=2; a=1, Jetty a=1; b=2
TEXT
