import java.security.cert.X509Certificate;
import java.util.LinkedHashSet;
import java.util.Scanner;
import java.util.Set;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLContext;
import javax.net.ssl.X509TrustManager;

/**
 * The common part of the client programs in Java. They send the requests on standard input, and
 * print a line for each. test/foreign/faults/_program.ts has the format of both.
 */
final class Transfers {
  /** Seconds. */
  static final int LIMIT = 5;

  /** Milliseconds before a second request, in which the origin does what it does with the connection. */
  private static final int PAUSE = 300;

  /** Clients that send at the same time. */
  private static final int AT_ONCE = 8;

  private Transfers() {}

  /** With connections of its own. */
  interface Client {
    /** Sends a request, and notes in the report what comes. */
    void send(Sent request, Report report) throws Exception;
  }

  interface Clients {
    Client open() throws Exception;
  }

  /**
   * @param length bytes of content
   * @param field such as {@code Expect: 100-continue}, or empty
   */
  record Sent(String name, String method, String path, int length, String field) {}

  static final class Report {
    String status = "";
    long received = 0;
    final Set<String> seen = new LinkedHashSet<>();
  }

  static void sendAll(Clients clients) throws Exception {
    // What is compiled and loaded for the first request does not count.
    transfer(clients.open(), new Sent("warm-up", "GET", "/healthz", 0, ""));
    var threads = Executors.newFixedThreadPool(AT_ONCE);
    for (var lines = new Scanner(System.in); lines.hasNextLine(); ) {
      var line = lines.nextLine();
      threads.submit(
          () -> {
            transfers(clients, line);
            return null;
          });
    }
    threads.shutdown();
    threads.awaitTermination(5, TimeUnit.MINUTES);
    System.exit(0);
  }

  private static void transfers(Clients clients, String line) throws Exception {
    var cells = line.split("\t", -1);
    var field = cells.length > 4 ? cells[4] : "";
    var next = cells.length > 5 ? cells[5].split(" ") : new String[] {""};
    var client = clients.open();
    print(
        transfer(client, new Sent(cells[0], cells[1], cells[2], Integer.parseInt(cells[3]), field)));
    if (next.length > 1) {
      Thread.sleep(PAUSE);
      var length = next[0].equals("POST") ? 10 : 0;
      print(transfer(client, new Sent(cells[0] + "+", next[0], next[1], length, "")));
    }
  }

  private static synchronized void print(String line) {
    System.out.println(line);
  }

  private static String transfer(Client client, Sent request) {
    var report = new Report();
    var error = "";
    try {
      client.send(request, report);
    } catch (Throwable thrown) {
      error = words(thrown);
    }
    var received = String.valueOf(report.received);
    var seen = String.join("; ", report.seen);
    return String.join("\t", request.name(), report.status, received, error, seen);
  }

  /** The cause of an error, without addresses and quoted bytes, which differ with each run. */
  private static String words(Throwable error) {
    while (error.getCause() != null) error = error.getCause();
    var text = error.getClass().getSimpleName() + ": " + error.getMessage();
    return text.replaceAll("/[\\d.]+:\\d+: |\\s+", " ")
        .replaceAll("(?<=limit=)\\d+ content=[0-9a-f]+", "N content=")
        .replaceAll("(?<=FRAME_SIZE_ERROR: |chunk size: |but received )-?\\d+", "N")
        .replaceAll("(?<=character but was )0x-?[0-9a-f]+", "0xN")
        .replaceAll("(?<=status line: \"?)(?!HTTP).*", "…")
        .strip();
  }

  static X509TrustManager trust() {
    return new X509TrustManager() {
      public void checkClientTrusted(X509Certificate[] chain, String type) {}

      public void checkServerTrusted(X509Certificate[] chain, String type) {}

      public X509Certificate[] getAcceptedIssuers() {
        return new X509Certificate[0];
      }
    };
  }

  static SSLContext tls() throws Exception {
    var context = SSLContext.getInstance("TLS");
    context.init(null, new X509TrustManager[] {trust()}, null);
    return context;
  }
}
