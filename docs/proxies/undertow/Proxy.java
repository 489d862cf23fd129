import io.undertow.Undertow;
import io.undertow.UndertowOptions;
import io.undertow.server.handlers.proxy.LoadBalancingProxyClient;
import io.undertow.server.handlers.proxy.ProxyHandler;
import java.io.FileInputStream;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyFactory;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;

/** TLS with HTTP/1.1 and HTTP/2 for clients, HTTP/1.1 to the origin. */
public class Proxy {
  public static void main(String[] arguments) throws Exception {
    // 100 connections to the origin per I/O thread, instead of 10: a request that finds none free is answered with 503,
    // and one whose response never comes keeps its connection.
    var origin = new LoadBalancingProxyClient()
        .setConnectionsPerThread(100)
        .addHost(URI.create("http://127.0.0.1:8080"));
    Undertow.builder()
        .addHttpsListener(8443, "127.0.0.1", tls("cert.pem", "key.pem"))
        .setServerOption(UndertowOptions.ENABLE_HTTP2, true)
        .setHandler(ProxyHandler.builder().setProxyClient(origin).build())
        .build()
        .start();
  }

  private static SSLContext tls(String chain, String key) throws Exception {
    Certificate[] certificates;
    try (var file = new FileInputStream(chain)) {
      certificates = CertificateFactory.getInstance("X.509").generateCertificates(file).toArray(new Certificate[0]);
    }
    var pem = Files.readString(Path.of(key)).replaceAll("-----.*-----", "");
    var encoded = new PKCS8EncodedKeySpec(Base64.getMimeDecoder().decode(pem));
    PrivateKey secret = KeyFactory.getInstance(certificates[0].getPublicKey().getAlgorithm()).generatePrivate(encoded);
    var store = KeyStore.getInstance("PKCS12");
    store.load(null, null);
    store.setKeyEntry("proxy", secret, new char[0], certificates);
    var keys = KeyManagerFactory.getInstance("PKIX");
    keys.init(store, new char[0]);
    var context = SSLContext.getInstance("TLS");
    context.init(keys.getKeyManagers(), null, null);
    return context;
  }
}
