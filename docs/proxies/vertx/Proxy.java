import io.vertx.core.Vertx;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.PoolOptions;
import io.vertx.core.net.PemKeyCertOptions;
import io.vertx.httpproxy.ForwardedHeadersOptions;
import io.vertx.httpproxy.HttpProxy;
import io.vertx.httpproxy.ProxyOptions;

/** TLS with HTTP/1.1 and HTTP/2 for clients, HTTP/1.1 to the origin. */
public class Proxy {
  public static void main(String[] arguments) {
    var vertx = Vertx.vertx();
    var options = new ProxyOptions()
        .setForwardedHeadersOptions(new ForwardedHeadersOptions().setEnabled(true));
    // A connection for each request, as one that fails can hold up the others of the pool, and 100 in place of 5 at a time.
    var connections = new HttpClientOptions().setKeepAlive(false);
    var client = vertx.createHttpClient(connections, new PoolOptions().setHttp1MaxSize(100));
    var proxy = HttpProxy.reverseProxy(options, client).origin(8080, "127.0.0.1");
    var tls = new HttpServerOptions()
        .setSsl(true)
        .setUseAlpn(true)
        .setKeyCertOptions(new PemKeyCertOptions().setCertPath("cert.pem").setKeyPath("key.pem"));
    vertx.createHttpServer(tls).requestHandler(proxy).listen(8443, "127.0.0.1");
  }
}
