import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.LinkedHashMap;

/** What java.net.http makes of wirebin over HTTP/2. In cleartext it would ask for an upgrade. */
final class NetHttp {
  private final HttpClient client;

  private NetHttp() throws Exception {
    client = HttpClient.newBuilder().sslContext(Check.tls()).build();
  }

  private static HttpRequest.Builder to(String path) {
    return HttpRequest.newBuilder(URI.create(Check.ORIGIN + path));
  }

  private HttpResponse<String> text(HttpRequest.Builder request) throws Exception {
    return client.send(request.build(), BodyHandlers.ofString());
  }

  private HttpResponse<InputStream> stream(String path) throws Exception {
    return client.send(to(path).build(), BodyHandlers.ofInputStream());
  }

  private void length(String path, long wanted) throws Exception {
    try (var content = stream(path).body()) {
      Check.equal("length", Check.length(content), wanted);
    }
  }

  private void get() throws Exception {
    var response = text(to("/get"));
    Check.equal("version", response.version(), HttpClient.Version.HTTP_2);
    Check.includes(response.body(), "\"HTTP/2.0\"");
  }

  private void head() throws Exception {
    var response = text(to("/bytes/1000").method("HEAD", BodyPublishers.noBody()));
    Check.equal("length", response.headers().firstValue("content-length").orElse(""), "1000");
  }

  private void echoed() throws Exception {
    var sent = "x".repeat(Check.MEBIBYTE);
    Check.includes(text(to("/anything").POST(BodyPublishers.ofString(sent))).body(), sent);
  }

  private void inParallel() throws Exception {
    length("/bytes/1", 1);
    Check.atOnce(100, 100, at -> {
      if (at % 2 == 0) length("/bytes/100000?seed=" + at, 100_000);
      else {
        var content = BodyPublishers.ofByteArray(new byte[100_000]);
        Check.includes(text(to("/upload").POST(content)).body(), "\"bytes_received\": 100000");
      }
    });
  }

  private void trailers() throws Exception {
    // They are not told.
    Check.includes(text(to("/trailers?X-Checksum=abc")).body(), "\"HTTP/2.0\"");
  }

  private void informational() throws Exception {
    Check.equal("status", text(to("/informational/103?link=%3C/a.css%3E")).statusCode(), 200);
  }

  private void expectation() throws Exception {
    var content = BodyPublishers.ofByteArray(new byte[Check.MEBIBYTE]);
    var response = text(to("/upload").expectContinue(true).POST(content));
    Check.includes(response.body(), "\"bytes_received\": 1048576");
  }

  private void down() throws Exception {
    length("/bytes/1", 1);
    Check.atOnce(8, 103, at -> length("/range/10485760", 10 * Check.MEBIBYTE));
  }

  private void up() throws Exception {
    var content = BodyPublishers.ofInputStream(() -> Check.zeros(100L * Check.MEBIBYTE));
    Check.includes(text(to("/upload").POST(content)).body(), Check.ZEROS);
  }

  /** Java 17 returns no credit of the connection for what is on its way to a stream that it resets. */
  private void cancelled() throws Exception {
    for (var at = 0; at < 10; at++) {
      try (var content = stream("/range/300000").body()) {
        content.readNBytes(50_000);
      }
    }
    length("/bytes/1000000", 1_000_000);
  }

  private void reset() throws Exception {
    try {
      text(to("/fault/rst-stream?code=INTERNAL_ERROR"));
    } catch (IOException error) {
      Check.includes(error.toString(), "RST_STREAM");
      length("/bytes/1000", 1000);
      return;
    }
    throw new AssertionError("no reset");
  }

  /** Java 17 gives up all requests of a connection on any GOAWAY, and goes on with another one. */
  private void goaway() throws Exception {
    try {
      text(to("/fault/goaway?last=this&then=finish"));
    } catch (IOException error) {
      Check.includes(error.toString(), "GOAWAY");
    }
    length("/bytes/1000", 1000);
  }

  private interface Run {
    void run(NetHttp client) throws Exception;
  }

  public static void main(String[] args) {
    var runs = new LinkedHashMap<String, Run>();
    runs.put("GET", NetHttp::get);
    runs.put("HEAD", NetHttp::head);
    runs.put("1 MiB echoed", NetHttp::echoed);
    runs.put("100 in parallel", NetHttp::inParallel);
    runs.put("before trailers", NetHttp::trailers);
    runs.put("after 103", NetHttp::informational);
    runs.put("100 to Expect", NetHttp::expectation);
    runs.put("1 GiB down", NetHttp::down);
    runs.put("100 MiB up", NetHttp::up);
    runs.put("resets by the client", NetHttp::cancelled);
    runs.put("a reset by the service", NetHttp::reset);
    runs.put("after GOAWAY", NetHttp::goaway);
    var checks = new LinkedHashMap<String, Check.Body>();
    // A client of its own, and so a connection.
    runs.forEach((name, run) -> checks.put(name, () -> run.run(new NetHttp())));
    Check.all(checks);
  }
}
