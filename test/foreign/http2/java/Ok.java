import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import okhttp3.Call;
import okhttp3.ConnectionPool;
import okhttp3.EventListener;
import okhttp3.MediaType;
import okhttp3.OkHttpClient;
import okhttp3.Protocol;
import okhttp3.Request;
import okhttp3.RequestBody;
import okhttp3.Response;
import okio.BufferedSink;

/** What OkHttp makes of wirebin over HTTP/2, in cleartext by prior knowledge. */
final class Ok {
  private final OkHttpClient client;
  private int dialled;

  private Ok() throws Exception {
    var builder = new OkHttpClient.Builder().connectionPool(new ConnectionPool());
    builder.sslSocketFactory(Check.tls().getSocketFactory(), Check.trust()).retryOnConnectionFailure(false);
    builder.readTimeout(java.time.Duration.ofMinutes(1));
    if (Check.ORIGIN.startsWith("http:")) builder.protocols(List.of(Protocol.H2_PRIOR_KNOWLEDGE));
    builder.eventListener(
        new EventListener() {
          @Override
          public void connectStart(Call call, java.net.InetSocketAddress to, java.net.Proxy proxy) {
            synchronized (Ok.this) {
              dialled++;
            }
          }
        });
    client = builder.build();
  }

  private static Request.Builder to(String path) {
    return new Request.Builder().url(Check.ORIGIN + path);
  }

  private Response send(Request.Builder request) throws IOException {
    return client.newCall(request.build()).execute();
  }

  private String text(Request.Builder request) throws IOException {
    try (var response = send(request)) {
      return response.body().string();
    }
  }

  private void length(String path, long wanted) throws IOException {
    try (var response = send(to(path))) {
      Check.equal("length", Check.length(response.body().byteStream()), wanted);
    }
  }

  private static RequestBody zeros(long size) {
    return new RequestBody() {
      @Override
      public MediaType contentType() {
        return null;
      }

      @Override
      public void writeTo(BufferedSink sink) throws IOException {
        sink.writeAll(okio.Okio.source(Check.zeros(size)));
      }
    };
  }

  private void get() throws IOException {
    try (var response = send(to("/get"))) {
      Check.includes(response.protocol().toString(), "h2");
      Check.includes(response.body().string(), "\"HTTP/2.0\"");
    }
  }

  private void head() throws IOException {
    try (var response = send(to("/bytes/1000").head())) {
      Check.equal("length", response.header("content-length"), "1000");
    }
  }

  private void echoed() throws IOException {
    var sent = "x".repeat(Check.MEBIBYTE);
    Check.includes(text(to("/anything").post(RequestBody.create(sent, null))), sent);
  }

  private void inParallel() throws Exception {
    length("/bytes/1", 1);
    Check.atOnce(100, 100, at -> {
      if (at % 2 == 0) length("/bytes/100000?seed=" + at, 100_000);
      else Check.includes(text(to("/upload").post(zeros(100_000))), "\"bytes_received\": 100000");
    });
    Check.equal("connections", dialled, 1);
  }

  private void trailers() throws IOException {
    try (var response = send(to("/trailers?X-Checksum=abc"))) {
      response.body().string();
      Check.equal("trailer", String.valueOf(response.trailers().get("x-checksum")), "abc");
    }
  }

  private void informational() throws IOException {
    try (var response = send(to("/informational/103?link=%3C/a.css%3E"))) {
      Check.equal("status", response.code(), 200);
    }
  }

  private void expectation() throws IOException {
    var request = to("/upload").header("Expect", "100-continue").post(zeros(Check.MEBIBYTE));
    Check.includes(text(request), "\"bytes_received\": 1048576");
  }

  private void down() throws Exception {
    length("/bytes/1", 1);
    Check.atOnce(8, 103, at -> length("/range/10485760", 10 * Check.MEBIBYTE));
    Check.equal("connections", dialled, 1);
  }

  private void up() throws IOException {
    Check.includes(text(to("/upload").post(zeros(100L * Check.MEBIBYTE))), Check.ZEROS);
  }

  /** OkHttp resets a stream once more for each frame that is on its way, which counts as --max-resets. */
  private void cancelled() throws IOException {
    for (var at = 0; at < 10; at++) {
      try (var response = send(to("/range/300000"))) {
        response.body().byteStream().readNBytes(50_000);
      }
    }
    length("/bytes/1000000", 1_000_000);
    Check.equal("connections", dialled, 1);
  }

  private void reset() throws IOException {
    try {
      length("/fault/rst-stream?code=INTERNAL_ERROR", 0);
    } catch (IOException error) {
      Check.includes(error.toString(), "INTERNAL_ERROR");
      // It takes another connection, as after all resets but REFUSED_STREAM and CANCEL.
      length("/bytes/1000", 1000);
      return;
    }
    throw new AssertionError("no reset");
  }

  private void goaway() throws Exception {
    length("/bytes/1", 1);
    Check.atOnce(11, 11, at -> {
      if (at < 10) length("/drip?duration=1&numbytes=10&delay=0", 10);
      else {
        Thread.sleep(300);
        length("/fault/goaway?last=this&then=finish", 10_240);
      }
    });
    length("/bytes/1000", 1000);
    Check.equal("connections", dialled, 2);
  }

  private interface Run {
    void run(Ok client) throws Exception;
  }

  public static void main(String[] args) {
    var runs = new LinkedHashMap<String, Run>();
    runs.put("GET", Ok::get);
    runs.put("HEAD", Ok::head);
    runs.put("1 MiB echoed", Ok::echoed);
    runs.put("100 in parallel on a connection", Ok::inParallel);
    runs.put("trailers", Ok::trailers);
    runs.put("after 103", Ok::informational);
    runs.put("100 to Expect", Ok::expectation);
    runs.put("1 GiB down", Ok::down);
    runs.put("100 MiB up", Ok::up);
    runs.put("resets by the client", Ok::cancelled);
    runs.put("a reset by the service", Ok::reset);
    runs.put("GOAWAY in the middle", Ok::goaway);
    var checks = new LinkedHashMap<String, Check.Body>();
    runs.forEach((name, run) -> checks.put(name, () -> run.run(new Ok())));
    Check.all(checks);
  }
}
