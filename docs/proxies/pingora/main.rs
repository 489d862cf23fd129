use async_trait::async_trait;
use pingora::listeners::tls::TlsSettings;
use pingora::prelude::*;
use pingora::server::configuration::ServerConf;

struct Wirebin;

#[async_trait]
impl ProxyHttp for Wirebin {
    type CTX = ();
    fn new_ctx(&self) {}

    async fn upstream_peer(&self, _: &mut Session, _: &mut ()) -> Result<Box<HttpPeer>> {
        Ok(Box::new(HttpPeer::new("127.0.0.1:8080", false, String::new())))
    }
}

fn main() {
    // By default it ends five minutes after SIGTERM.
    let configuration = ServerConf {
        grace_period_seconds: Some(0),
        graceful_shutdown_timeout_seconds: Some(1),
        ..ServerConf::default()
    };
    let mut server = Server::new_with_opt_and_conf(None, configuration);
    server.bootstrap();
    let mut service = http_proxy_service(&server.configuration, Wirebin);
    let mut tls = TlsSettings::intermediate("cert.pem", "key.pem").unwrap();
    tls.enable_h2();
    service.add_tls_with_settings("127.0.0.1:8443", None, tls);
    server.add_service(service);
    server.run_forever();
}
