import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/** java.net.http, whose API shows neither interim responses nor trailers. */
public class NetHttp {
  private static final ScheduledExecutorService LIMITS = Executors.newSingleThreadScheduledExecutor();

  public static void main(String[] args) throws Exception {
    var base = args[0];
    var version = args[1].equals("2") ? HttpClient.Version.HTTP_2 : HttpClient.Version.HTTP_1_1;
    Transfers.sendAll(
        () -> {
          var client =
              HttpClient.newBuilder().version(version).sslContext(Transfers.tls()).build();
          return (request, report) -> {
            var sent = client.sendAsync(requestOf(base, request), BodyHandlers.ofInputStream());
            // The request has the limit itself, but does not always keep it.
            var response = sent.get(Transfers.LIMIT + 1, TimeUnit.SECONDS);
            report.status = String.valueOf(response.statusCode());
            read(response.body(), report);
          };
        });
  }

  private static HttpRequest requestOf(String base, Transfers.Sent sent) {
    var length = sent.length();
    var content =
        length == 0 ? BodyPublishers.noBody() : BodyPublishers.ofByteArray(new byte[length]);
    var request =
        HttpRequest.newBuilder(URI.create(base + sent.path()))
            .timeout(Duration.ofSeconds(Transfers.LIMIT))
            .header("X-Wirebin-Journal", sent.name())
            .method(sent.method(), content);
    var field = sent.field().split(": ");
    if (field[0].equals("Expect")) request.expectContinue(true);
    else if (field.length == 2) request.header(field[0], field[1]);
    return request.build();
  }

  private static void read(InputStream stream, Transfers.Report report) throws Exception {
    var buffer = new byte[65536];
    try (stream) {
      // The timeout of a request is over with its header section.
      var limit =
          LIMITS.schedule(
              () -> {
                stream.close();
                return null;
              },
              Transfers.LIMIT,
              TimeUnit.SECONDS);
      for (int read; (read = stream.read(buffer)) != -1; ) report.received += read;
      limit.cancel(false);
    }
  }
}
