import java.io.FileInputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyFactory;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;
import org.eclipse.jetty.alpn.server.ALPNServerConnectionFactory;
import org.eclipse.jetty.http.HttpURI;
import org.eclipse.jetty.http2.server.HTTP2ServerConnectionFactory;
import org.eclipse.jetty.proxy.ProxyHandler;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.SecureRequestCustomizer;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.server.SslConnectionFactory;
import org.eclipse.jetty.util.ssl.SslContextFactory;

/** TLS with HTTP/1.1 and HTTP/2 for clients, HTTP/1.1 to the origin. */
public class Proxy {
  public static void main(String[] arguments) throws Exception {
    var tls = new SslContextFactory.Server();
    tls.setKeyStore(keyStore("cert.pem", "key.pem"));
    tls.setKeyStorePassword("");

    var configuration = new HttpConfiguration();
    configuration.addCustomizer(new SecureRequestCustomizer(false));
    var http1 = new HttpConnectionFactory(configuration);
    var alpn = new ALPNServerConnectionFactory();
    alpn.setDefaultProtocol(http1.getProtocol());

    var server = new Server();
    var connector = new ServerConnector(server, new SslConnectionFactory(tls, alpn.getProtocol()), alpn,
        new HTTP2ServerConnectionFactory(configuration), http1);
    connector.setHost("127.0.0.1");
    connector.setPort(8443);
    server.addConnector(connector);
    server.setHandler(new ProxyHandler.Reverse(request ->
        HttpURI.build(request.getHttpURI()).scheme("http").host("127.0.0.1").port(8080)));
    server.start();
  }

  private static KeyStore keyStore(String chain, String key) throws Exception {
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
    return store;
  }
}
