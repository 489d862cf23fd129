#!/usr/bin/env bash
# WebSocket on Python: the client of websockets 17.4 sends a text in two fragments, and a ping between them (RFC 6455
# 5.4), with and without permessage-deflate, to uvicorn 0.54.0 with websockets and with wsproto 1.3.2, and to hypercorn
# 0.18.0.
#
# A guess: the server answers the ping and receives the whole text, as compression does not concern control frames.
# Found: with websockets, it does. At the ping, wsproto forgets that the message is compressed, and takes the second
# fragment for text, which is not UTF-8. The connection ends without a close frame. So uvicorn with wsproto, and
# hypercorn, which has no alternative, lose clients that send a long message piece by piece as soon as a keepalive ping
# comes in between.
#
# Fails if that changes. Needs Python 3.11 or later.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv python
python/bin/pip install --quiet websockets==17.4 wsproto==1.3.2 uvicorn==0.54.0 hypercorn==0.18.0 h11==0.16.0
cat >run.py <<'PY'
import asyncio
import logging
import os
import socket

import hypercorn.asyncio
import uvicorn
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed

logging.disable()


async def echo(scope, receive, send):
    if scope["type"] != "websocket":
        return
    await receive()
    await send({"type": "websocket.accept"})
    while (event := await receive())["type"] == "websocket.receive":
        await send({"type": "websocket.send", "text": event["text"]})


def listen():
    listener = socket.create_server(("127.0.0.1", 0))
    return listener, listener.getsockname()[1]


async def outcome(port, compression, ping):
    async with connect(f"ws://127.0.0.1:{port}/", compression=compression) as client:

        async def fragments():
            yield "one fragment, "
            if ping:
                await (await client.ping())
            yield "and another"

        try:
            await client.send(fragments())
            return await asyncio.wait_for(client.recv(), 5)
        except ConnectionClosed as closed:
            return f"closed with {closed.rcvd.code}" if closed.rcvd else "closed without a close frame"
        except TimeoutError:
            return "nothing in 5 s"


async def main():
    ports = {}
    for name in ("websockets-sansio", "wsproto"):
        listener, ports[f"uvicorn on {name}"] = listen()
        config = uvicorn.Config(echo, ws=name, lifespan="off", log_config=None)
        asyncio.create_task(uvicorn.Server(config).serve(sockets=[listener]))
    listener, ports["hypercorn"] = listen()
    config = hypercorn.Config()
    config.bind = [f"fd://{listener.fileno()}"]
    asyncio.create_task(hypercorn.asyncio.serve(echo, config, shutdown_trigger=asyncio.Event().wait))
    await asyncio.sleep(1)
    for name, port in ports.items():
        for compression in (None, "deflate"):
            for ping in (False, True):
                words = f"{compression or 'no compression'}, {'a ping' if ping else 'no ping'}"
                print(f"{name}, {words}: {await outcome(port, compression, ping)}", flush=True)
    os._exit(0)


asyncio.run(main())
PY
python/bin/python run.py | tee out.txt
diff out.txt - <<'TEXT'
uvicorn on websockets-sansio, no compression, no ping: one fragment, and another
uvicorn on websockets-sansio, no compression, a ping: one fragment, and another
uvicorn on websockets-sansio, deflate, no ping: one fragment, and another
uvicorn on websockets-sansio, deflate, a ping: one fragment, and another
uvicorn on wsproto, no compression, no ping: one fragment, and another
uvicorn on wsproto, no compression, a ping: one fragment, and another
uvicorn on wsproto, deflate, no ping: one fragment, and another
uvicorn on wsproto, deflate, a ping: closed without a close frame
hypercorn, no compression, no ping: one fragment, and another
hypercorn, no compression, a ping: one fragment, and another
hypercorn, deflate, no ping: one fragment, and another
hypercorn, deflate, a ping: closed without a close frame
TEXT
