#!/usr/bin/env bash
# websockets 17.4, aiohttp 3.14.5 and wsproto 1.3.2 of Python: permessage-deflate, a message whose DEFLATE block has
# BFINAL set, as RFC 7692 7.2.3.4 allows, and then two messages without it.
#
# A guess: all of them receive the three texts, as each must accept what the RFC allows.
# Found: aiohttp does. websockets receives the first, and an empty text for each later message of the connection,
# without an error or a close: its decompressor has reached its end, and drops what follows. wsproto ends the
# connection at the second message. A client whose library cannot flush in another way sees its messages vanish, or has
# to open a connection for each.
#
# Fails if that changes. Needs Python 3.11 or later.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv python
python/bin/pip install --quiet websockets==17.4 aiohttp==3.14.5 wsproto==1.3.2 h11==0.16.0
cat >run.py <<'PY'
import asyncio
import base64
import zlib

from aiohttp import web
from aiohttp.test_utils import TestServer
from websockets.asyncio.server import serve
from wsproto import ConnectionType, WSConnection
from wsproto.events import AcceptConnection, Request, TextMessage
from wsproto.extensions import PerMessageDeflate

HANDSHAKE = (
    b"GET / HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
    b"Sec-WebSocket-Key: %s\r\nSec-WebSocket-Extensions: permessage-deflate\r\n\r\n" % base64.b64encode(bytes(16))
)


def message(text, final):
    """A compressed text in one frame, masked with zeros. After BFINAL the RFC has an octet of zeros."""
    deflate = zlib.compressobj(wbits=-15)
    content = deflate.compress(text.encode()) + deflate.flush(zlib.Z_FINISH if final else zlib.Z_SYNC_FLUSH)
    content = content + b"\0" if final else content[:-4]
    return bytes([0xC1, 0x80 | len(content)]) + bytes(4) + content


MESSAGES = [message("one", True), message("two", False), message("three", False)]
CLOSE = bytes([0x88, 0x82, 0, 0, 0, 0, 0x03, 0xE8])


async def send(port):
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(HANDSHAKE)
    await reader.readuntil(b"\r\n\r\n")
    writer.write(b"".join(MESSAGES) + CLOSE)
    await reader.read()
    writer.close()


async def main():
    seen = {"websockets": [], "aiohttp": [], "wsproto": []}

    async def on_websockets(connection):
        async for text in connection:
            seen["websockets"].append(text)

    async with serve(on_websockets, "127.0.0.1", 0) as server:
        await send(server.sockets[0].getsockname()[1])

    async def on_aiohttp(request):
        connection = web.WebSocketResponse()
        await connection.prepare(request)
        async for event in connection:
            seen["aiohttp"].append(event.data)
        return connection

    application = web.Application()
    application.router.add_get("/", on_aiohttp)
    async with TestServer(application) as server:
        await send(server.port)

    connection = WSConnection(ConnectionType.SERVER)
    for data in [HANDSHAKE, *MESSAGES[:2]]:
        connection.receive_data(data)
        for event in connection.events():
            if isinstance(event, Request):
                connection.send(AcceptConnection(extensions=[PerMessageDeflate()]))
            else:
                seen["wsproto"].append(event.data if isinstance(event, TextMessage) else f"close {event.code}")

    for name, texts in seen.items():
        print(f"{name}: {texts}")


asyncio.run(main())
PY
python/bin/python run.py | tee out.txt
diff out.txt - <<'TEXT'
websockets: ['one', '', '']
aiohttp: ['one', 'two', 'three']
wsproto: ['one', 'close 1007']
TEXT
