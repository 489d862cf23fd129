import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509TrustManager;

/** What the checks of Java's clients have in common: a line of JSON for each check. */
final class Check {
  static final String ORIGIN = System.getenv("FOREIGN_URL");
  static final int MEBIBYTE = 1 << 20;
  /** SHA-256 of 100 MiB of zeros. */
  static final String ZEROS = "20492a4d0d84f8beb1767f6616229f85d44c2827b64bdbfb260ee12fa1109e0e";

  interface Body {
    void run() throws Exception;
  }

  static void all(Map<String, Body> checks) {
    for (var check : checks.entrySet()) {
      var outcome = "passed\"";
      try {
        var threads = Executors.newSingleThreadExecutor();
        var done = threads.submit(() -> { check.getValue().run(); return null; });
        threads.shutdown();
        done.get(2, TimeUnit.MINUTES);
      } catch (Throwable error) {
        var cause = error.getCause() == null ? error : error.getCause();
        var reason = (cause + " " + cause.getCause()).replaceAll("[\"\\\\\\p{Cntrl}]", " ");
        outcome = "failed\",\"reason\":\"" + reason.substring(0, Math.min(500, reason.length())) + '"';
      }
      System.out.println("{\"name\":\"" + check.getKey() + "\",\"outcome\":\"" + outcome + "}");
    }
    System.exit(0);
  }

  /** Runs the calls, some at a time; fails with the first one. */
  static void atOnce(int threads, int count, Call call) throws Exception {
    var pool = Executors.newFixedThreadPool(threads);
    List<Callable<Void>> calls = new ArrayList<>();
    for (var at = 0; at < count; at++) {
      var index = at;
      calls.add(() -> { call.run(index); return null; });
    }
    try {
      for (var outcome : pool.invokeAll(calls)) outcome.get();
    } finally {
      pool.shutdown();
    }
  }

  interface Call {
    void run(int at) throws Exception;
  }

  static void equal(String what, Object found, Object wanted) {
    if (!found.equals(wanted)) throw new AssertionError(what + ": " + found + ", not " + wanted);
  }

  static void includes(String text, String part) {
    if (!text.contains(part)) {
      throw new AssertionError("no " + part + " in " + text.substring(0, Math.min(300, text.length())));
    }
  }

  static long length(InputStream content) throws IOException {
    var into = new byte[65536];
    var length = 0L;
    for (int read; (read = content.read(into)) >= 0; ) length += read;
    return length;
  }

  /** Content of zeros, which is not in memory. */
  static InputStream zeros(long size) {
    return new InputStream() {
      private long left = size;

      @Override
      public int read() {
        return left-- > 0 ? 0 : -1;
      }

      @Override
      public int read(byte[] into, int from, int most) {
        if (left <= 0) return -1;
        var read = (int) Math.min(left, most);
        java.util.Arrays.fill(into, from, from + read, (byte) 0);
        left -= read;
        return read;
      }
    };
  }

  static X509TrustManager trust() throws Exception {
    var store = KeyStore.getInstance(KeyStore.getDefaultType());
    store.load(null, null);
    try (var file = new FileInputStream(System.getenv("REQUESTS_CA_BUNDLE"))) {
      store.setCertificateEntry("own", CertificateFactory.getInstance("X.509").generateCertificate(file));
    }
    var factory = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    factory.init(store);
    return (X509TrustManager) factory.getTrustManagers()[0];
  }

  static SSLContext tls() throws Exception {
    var context = SSLContext.getInstance("TLS");
    context.init(null, new X509TrustManager[] {trust()}, null);
    return context;
  }

  private Check() {}
}
