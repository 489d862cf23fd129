import java.time.Duration;
import java.util.List;
import java.util.Locale;
import okhttp3.ConnectionPool;
import okhttp3.OkHttpClient;
import okhttp3.Protocol;
import okhttp3.Request;
import okhttp3.RequestBody;

/** OkHttp, whose API does not show interim responses. */
public class Ok {
  public static void main(String[] args) throws Exception {
    var base = args[0];
    // HTTP/2 is available only together with HTTP/1.1; the server prefers HTTP/2.
    var protocols =
        args[1].equals("2")
            ? List.of(Protocol.HTTP_2, Protocol.HTTP_1_1)
            : List.of(Protocol.HTTP_1_1);
    Transfers.sendAll(
        () -> {
          var client =
              new OkHttpClient.Builder()
                  .connectionPool(new ConnectionPool())
                  .protocols(protocols)
                  .sslSocketFactory(Transfers.tls().getSocketFactory(), Transfers.trust())
                  .hostnameVerifier((host, session) -> true)
                  .callTimeout(Duration.ofSeconds(Transfers.LIMIT))
                  .build();
          return (request, report) -> send(client, base, request, report);
        });
  }

  private static void send(
      OkHttpClient client, String base, Transfers.Sent sent, Transfers.Report report)
      throws Exception {
    var content = sent.length() == 0 ? null : RequestBody.create(new byte[sent.length()]);
    var request =
        new Request.Builder()
            .url(base + sent.path())
            .header("X-Wirebin-Journal", sent.name())
            .method(sent.method(), content);
    var field = sent.field().split(": ");
    if (field.length == 2) request.header(field[0], field[1]);
    try (var response = client.newCall(request.build()).execute()) {
      report.status = String.valueOf(response.code());
      var stream = response.body().byteStream();
      var buffer = new byte[65536];
      for (int read; (read = stream.read(buffer)) != -1; ) report.received += read;
      var trailers = String.join(", ", response.trailers().names()).toLowerCase(Locale.ROOT);
      if (!trailers.isEmpty()) report.seen.add("trailer " + trailers);
    }
  }
}
