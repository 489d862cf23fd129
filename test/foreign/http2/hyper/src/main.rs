//! What hyper makes of wirebin over HTTP/2: a line of JSON for each check.
use bytes::Bytes;
use futures_util::future::{join_all, try_join_all};
use http_body_util::{combinators::UnsyncBoxBody, BodyExt, Channel, Empty, Full};
use hyper::client::conn::http2::{self, SendRequest};
use hyper::ext::Protocol;
use hyper::{HeaderMap, Method, Request, Response, Version};
use hyper_util::rt::{TokioExecutor, TokioIo};
use std::convert::Infallible;
use std::env;
use std::error::Error;
use std::future::Future;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio_rustls::rustls::pki_types::{pem::PemObject, CertificateDer, ServerName};
use tokio_rustls::rustls::{ClientConfig, RootCertStore};
use tokio_rustls::TlsConnector;

const MEBIBYTE: usize = 1024 * 1024;

type Failure = Box<dyn Error + Send + Sync>;
type Outcome = Result<(), Failure>;
type Body = UnsyncBoxBody<Bytes, Infallible>;
type Incoming = Response<hyper::body::Incoming>;

trait Stream: AsyncRead + AsyncWrite + Unpin + Send {}
impl<T: AsyncRead + AsyncWrite + Unpin + Send> Stream for T {}

fn expect<T: PartialEq + std::fmt::Debug>(what: &str, found: T, wanted: T) -> Outcome {
    if found == wanted {
        Ok(())
    } else {
        Err(format!("{what}: {found:?}, not {wanted:?}").into())
    }
}

/// A connection to the service. All requests of a check are on it.
#[derive(Clone)]
struct Client {
    origin: String,
    sender: SendRequest<Body>,
}

impl Client {
    async fn connect() -> Result<Client, Failure> {
        let origin = env::var("FOREIGN_URL")?;
        let (scheme, authority) = origin.split_once("://").ok_or("no URL")?;
        let tcp = TcpStream::connect(authority).await?;
        // With Nagle's algorithm, an upload waits for an ACK in each window.
        tcp.set_nodelay(true)?;
        let stream: Box<dyn Stream> = if scheme == "https" {
            let mut roots = RootCertStore::empty();
            roots.add(CertificateDer::from_pem_file(env::var("REQUESTS_CA_BUNDLE")?)?)?;
            let mut config = ClientConfig::builder().with_root_certificates(roots).with_no_client_auth();
            config.alpn_protocols = vec![b"h2".to_vec()];
            let host = authority.split(':').next().unwrap_or(authority).to_string();
            Box::new(TlsConnector::from(Arc::new(config)).connect(ServerName::try_from(host)?, tcp).await?)
        } else {
            Box::new(tcp)
        };
        let (sender, connection) = http2::handshake(TokioExecutor::new(), TokioIo::new(stream)).await?;
        tokio::spawn(connection);
        Ok(Client { origin, sender })
    }

    fn request(&self, method: Method, path: &str, body: Body) -> Request<Body> {
        let uri = format!("{}{path}", self.origin);
        Request::builder().method(method).uri(uri).body(body).expect("a valid request")
    }

    async fn send(&self, request: Request<Body>) -> Result<Incoming, Failure> {
        let mut sender = self.sender.clone();
        sender.ready().await?;
        Ok(sender.send_request(request).await?)
    }

    async fn get(&self, path: &str) -> Result<Incoming, Failure> {
        self.send(self.request(Method::GET, path, Empty::new().boxed_unsync())).await
    }

    async fn post(&self, path: &str, content: Vec<u8>) -> Result<Incoming, Failure> {
        self.send(self.request(Method::POST, path, Full::from(content).boxed_unsync())).await
    }

    /// The length of what comes, which is not kept.
    async fn length(&self, path: &str) -> Result<usize, Failure> {
        let mut body = self.get(path).await?.into_body();
        let mut length = 0;
        while let Some(frame) = body.frame().await {
            length += frame?.data_ref().map_or(0, Bytes::len);
        }
        Ok(length)
    }
}

async fn text(response: Incoming) -> Result<String, Failure> {
    Ok(String::from_utf8(response.into_body().collect().await?.to_bytes().to_vec())?)
}

fn includes(text: &str, part: &str) -> Outcome {
    if text.contains(part) {
        Ok(())
    } else {
        Err(format!("no {part} in {}", &text[..text.len().min(300)]).into())
    }
}

async fn get(client: Client) -> Outcome {
    let response = client.get("/get").await?;
    expect("version", response.version(), Version::HTTP_2)?;
    includes(&text(response).await?, "\"HTTP/2.0\"")
}

async fn head(client: Client) -> Outcome {
    let response = client.send(client.request(Method::HEAD, "/bytes/1000", Empty::new().boxed_unsync())).await?;
    expect("length", response.headers()["content-length"].to_str()?, "1000")?;
    expect("content", text(response).await?.len(), 0)
}

async fn echoed(client: Client) -> Outcome {
    let response = client.post("/anything", vec![b'x'; MEBIBYTE]).await?;
    includes(&text(response).await?, &"x".repeat(MEBIBYTE))
}

async fn in_parallel(client: Client) -> Outcome {
    try_join_all((0..100).map(|at| {
        let client = client.clone();
        async move {
            if at % 2 == 0 {
                return expect("length", client.length(&format!("/bytes/100000?seed={at}")).await?, 100_000);
            }
            let response = client.post("/upload", vec![0; 100_000]).await?;
            includes(&text(response).await?, "\"bytes_received\": 100000")
        }
    }))
    .await?;
    Ok(())
}

async fn trailers(client: Client) -> Outcome {
    let response = client.get("/trailers?X-Checksum=abc").await?;
    let collected = response.into_body().collect().await?;
    let trailer = collected.trailers().and_then(|fields| fields.get("x-checksum")).cloned();
    expect("trailer", trailer.ok_or("no trailers")?.to_str()?, "abc")?;
    let mut fields = HeaderMap::new();
    fields.insert("x-sent", "yes".parse()?);
    let body = Full::from("content").with_trailers(std::future::ready(Some(Ok(fields))));
    let response = client.send(client.request(Method::POST, "/anything", body.boxed_unsync())).await?;
    includes(&text(response).await?.to_lowercase(), "\"x-sent\"")
}

/// hyper tells nothing of interim responses over HTTP/2: they must not be in the way.
async fn informational(client: Client) -> Outcome {
    let response = client.get("/informational/103?link=%3C/a.css%3E").await?;
    expect("status", response.status().as_u16(), 200)?;
    includes(&text(response).await?, "\"HTTP/2.0\"")
}

async fn down(client: Client) -> Outcome {
    // The largest responses that there are, some at a time.
    for _ in 0..13 {
        let lengths = join_all((0..8).map(|_| client.length("/range/10485760"))).await;
        for length in lengths {
            expect("length", length?, 10 * MEBIBYTE)?;
        }
    }
    Ok(())
}

async fn up(client: Client) -> Outcome {
    let (mut sender, body) = Channel::<Bytes, Infallible>::new(1);
    let request = client.request(Method::POST, "/upload", body.boxed_unsync());
    tokio::spawn(async move {
        for _ in 0..100 {
            if sender.send_data(Bytes::from(vec![0; MEBIBYTE])).await.is_err() {
                return;
            }
        }
    });
    let response = client.send(request).await?;
    let told = text(response).await?;
    includes(&told, "\"bytes_received\": 104857600")?;
    includes(&told, "20492a4d0d84f8beb1767f6616229f85d44c2827b64bdbfb260ee12fa1109e0e")
}

async fn cancelled(client: Client) -> Outcome {
    for _ in 0..50 {
        let mut body = client.get("/range/10485760").await?.into_body();
        let mut length = 0;
        while length < 50_000 {
            let frame = body.frame().await.ok_or("no content")??;
            length += frame.data_ref().map_or(0, Bytes::len);
        }
    }
    expect("length", client.length("/bytes/1000000").await?, 1_000_000)
}

async fn reset(client: Client) -> Outcome {
    match client.length("/fault/rst-stream?code=INTERNAL_ERROR").await {
        Ok(_) => return Err("no reset".into()),
        Err(error) => includes(&format!("{error:?}"), "INTERNAL_ERROR")?,
    }
    expect("length", client.length("/bytes/1000").await?, 1000)
}

async fn goaway(client: Client) -> Outcome {
    let held = join_all((0..10).map(|_| client.length("/drip?duration=1&numbytes=10&delay=0")));
    let faulty = async {
        tokio::time::sleep(Duration::from_millis(300)).await;
        client.length("/fault/goaway?last=this&then=finish").await
    };
    let (held, faulty) = tokio::join!(held, faulty);
    for length in held {
        expect("length", length?, 10)?;
    }
    expect("length", faulty?, 10_240)?;
    match client.get("/get").await {
        Ok(_) => Err("a request after GOAWAY".into()),
        Err(_) => Ok(()),
    }
}

/// RFC 8441: a masked frame of text, which comes back without its mask.
async fn websocket(client: Client) -> Outcome {
    let mut request = client.request(Method::CONNECT, "/websocket/echo", Empty::new().boxed_unsync());
    request.extensions_mut().insert(Protocol::from_static("websocket"));
    request.headers_mut().insert("sec-websocket-version", "13".parse()?);
    // SETTINGS have to have arrived.
    client.length("/bytes/1").await?;
    let response = client.send(request).await?;
    expect("status", response.status().as_u16(), 200)?;
    let mut tunnel = TokioIo::new(hyper::upgrade::on(response).await?);
    tunnel.write_all(&[0x81, 0x82, 0, 0, 0, 0, b'h', b'i']).await?;
    let mut echo = [0; 4];
    tunnel.read_exact(&mut echo).await?;
    expect("frame", &echo, &[0x81, 2, b'h', b'i'])?;
    tunnel.write_all(&[0x88, 0x80, 0, 0, 0, 0]).await?;
    let mut rest = Vec::new();
    tunnel.read_to_end(&mut rest).await?;
    expect("close", &rest[..1], &[0x88])
}

async fn check<F: Future<Output = Outcome>>(name: &str, run: fn(Client) -> F) {
    let outcome = match Client::connect().await {
        Ok(client) => tokio::time::timeout(Duration::from_secs(120), run(client)).await.unwrap_or_else(|late| Err(late.into())),
        Err(error) => Err(error),
    };
    match outcome {
        Ok(()) => println!("{{\"name\":\"{name}\",\"outcome\":\"passed\"}}"),
        Err(error) => {
            let reason = format!("{error}: {error:?}").replace('\\', "").replace('"', "'").replace('\n', " ");
            println!("{{\"name\":\"{name}\",\"outcome\":\"failed\",\"reason\":\"{reason}\"}}");
        }
    }
}

#[tokio::main]
async fn main() {
    check("GET", get).await;
    check("HEAD", head).await;
    check("1 MiB echoed", echoed).await;
    check("100 in parallel on a connection", in_parallel).await;
    check("trailers both ways", trailers).await;
    check("after 103", informational).await;
    check("1 GiB down", down).await;
    check("100 MiB up", up).await;
    check("resets by the client", cancelled).await;
    check("a reset by the service", reset).await;
    check("GOAWAY in the middle", goaway).await;
    check("a WebSocket", websocket).await;
}
