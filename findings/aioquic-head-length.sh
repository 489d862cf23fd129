#!/usr/bin/env bash
# aioquic 1.7.2, HTTP/3 client: a slow GET and, beside it, a HEAD. Its response has the Content-Length that the content
# would have, as RFC 9110 8.6 allows, and no content.
#
# A guess: both responses, since RFC 9114 4.1.2 allows a response that never has content to have a nonzero
# Content-Length.
# Found: the client closes the connection with "content-length does not match data size", and the slow GET is lost with
# it. Servers of static files send that field in response to HEAD as a matter of course.
#
# Fails if that changes. Needs Python 3.10 or later with pip and venv, and openssl.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet aioquic==1.7.2 pylsqpack==1.0.0 >pip.log 2>&1
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout key.pem -out cert.pem \
  -subj /CN=localhost -days 2 2>>pip.log
cat >run.py <<'PY'
import asyncio
import ssl

from aioquic.asyncio import QuicConnectionProtocol, connect, serve
from aioquic.h3.connection import H3_ALPN, H3Connection
from aioquic.h3.events import DataReceived, HeadersReceived
from aioquic.quic.configuration import QuicConfiguration
from aioquic.quic.events import ConnectionTerminated, ProtocolNegotiated


class Peer(QuicConnectionProtocol):
    def quic_event_received(self, event):
        if isinstance(event, ProtocolNegotiated):
            self.h3 = H3Connection(self._quic)
        if isinstance(event, ConnectionTerminated):
            self.closed(event)
        for part in self.h3.handle_event(event):
            self.received(part)
        self.transmit()


class Server(Peer):
    def closed(self, event):
        pass

    def received(self, part):
        if not isinstance(part, HeadersReceived):
            return
        path = dict(part.headers)[b":path"]
        if path == b"/slow":
            asyncio.get_running_loop().call_later(0.5, self.respond, part.stream_id, b"content")
        else:
            self.respond(part.stream_id, None)

    def respond(self, stream_id, content):
        self.h3.send_headers(stream_id, [(b":status", b"200"), (b"content-length", b"7")], end_stream=content is None)
        if content is not None:
            self.h3.send_data(stream_id, content, end_stream=True)
        self.transmit()


class Client(Peer):
    def __init__(self, *args, **options):
        super().__init__(*args, **options)
        self.results = {}

    def closed(self, event):
        for result in self.results.values():
            if not result.done():
                result.set_result(f"connection closed, {event.reason_phrase}")

    def received(self, part):
        if isinstance(part, (HeadersReceived, DataReceived)) and part.stream_ended:
            self.results[part.stream_id].set_result("complete")

    def request(self, method, path):
        stream_id = self._quic.get_next_available_stream_id()
        self.results[stream_id] = asyncio.get_running_loop().create_future()
        fields = {":method": method, ":scheme": "https", ":authority": "localhost", ":path": path}
        self.h3.send_headers(stream_id, [(name.encode(), fields[name].encode()) for name in fields], end_stream=True)
        self.transmit()
        return self.results[stream_id]


async def main():
    server = QuicConfiguration(is_client=False, alpn_protocols=H3_ALPN)
    server.load_cert_chain("cert.pem", "key.pem")
    listener = await serve("127.0.0.1", 0, configuration=server, create_protocol=Server)
    port = listener._transport.get_extra_info("sockname")[1]
    client = QuicConfiguration(alpn_protocols=H3_ALPN, verify_mode=ssl.CERT_NONE)
    for second in (("GET", "/slow"), ("HEAD", "/")):
        async with connect("127.0.0.1", port, configuration=client, create_protocol=Client) as connection:
            results = [connection.request("GET", "/slow"), connection.request(*second)]
            for name, result in zip(("GET /slow", " ".join(second)), results):
                print(f"{name}: {await result}")


asyncio.run(main())
PY
venv/bin/python run.py | tee out.txt
diff out.txt - <<'TEXT'
GET /slow: complete
GET /slow: complete
GET /slow: connection closed, content-length does not match data size
HEAD /: connection closed, content-length does not match data size
TEXT
