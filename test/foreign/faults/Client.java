import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.Scanner;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509TrustManager;

/**
 * Sends the requests on standard input (name, method, path and length of the content, separated by
 * tabs), each on a connection of its own, and prints name, status, bytes of content and error of each.
 */
public class Client {
  public static void main(String[] args) throws Exception {
    // What is compiled and loaded for the first request does not count.
    send(args[0], args[1].equals("2"), new String[] {"warm-up", "GET", "/healthz", "0"});
    var threads = Executors.newFixedThreadPool(16);
    var lines = new Scanner(System.in);
    while (lines.hasNextLine()) {
      var cells = lines.nextLine().split("\t");
      threads.submit(
          () -> {
            var outcome = send(args[0], args[1].equals("2"), cells);
            synchronized (Client.class) {
              System.out.println(cells[0] + "\t" + outcome);
            }
          });
    }
    threads.shutdown();
    threads.awaitTermination(5, TimeUnit.MINUTES);
    System.exit(0);
  }

  static String send(String base, boolean isHttp2, String[] cells) {
    var status = "";
    var received = 0L;
    try {
      var client =
          HttpClient.newBuilder()
              .version(isHttp2 ? HttpClient.Version.HTTP_2 : HttpClient.Version.HTTP_1_1)
              .sslContext(trusting())
              .build();
      var length = Integer.parseInt(cells[3]);
      var content =
          length == 0 ? BodyPublishers.noBody() : BodyPublishers.ofByteArray(new byte[length]);
      var request =
          HttpRequest.newBuilder(URI.create(base + cells[2]))
              .timeout(Duration.ofSeconds(5))
              .header("X-Wirebin-Journal", cells[0])
              .method(cells[1], content)
              .build();
      var sent = client.sendAsync(request, BodyHandlers.ofInputStream());
      var response = sent.get(5, TimeUnit.SECONDS);
      status = String.valueOf(response.statusCode());
      var buffer = new byte[65536];
      try (InputStream stream = response.body()) {
        // The timeout of a request is over with its header section.
        var limit = Executors.newSingleThreadScheduledExecutor();
        var task = limit.schedule(() -> { stream.close(); return null; }, 5, TimeUnit.SECONDS);
        try {
          for (int read; (read = stream.read(buffer)) != -1; ) received += read;
        } finally {
          task.cancel(true);
          limit.shutdownNow();
        }
      }
      return status + "\t" + received + "\t";
    } catch (Throwable error) {
      while (error.getCause() != null) error = error.getCause();
      var text = error.getClass().getSimpleName() + ": " + error.getMessage();
      return status + "\t" + received + "\t" + text.replaceAll("/[\\d.]+:\\d+: |\\s+", " ").strip();
    }
  }

  static SSLContext trusting() throws Exception {
    var trust =
        new X509TrustManager() {
          public void checkClientTrusted(X509Certificate[] chain, String type) {}

          public void checkServerTrusted(X509Certificate[] chain, String type) {}

          public X509Certificate[] getAcceptedIssuers() {
            return new X509Certificate[0];
          }
        };
    var context = SSLContext.getInstance("TLS");
    context.init(null, new TrustManager[] {trust}, null);
    return context;
  }
}
