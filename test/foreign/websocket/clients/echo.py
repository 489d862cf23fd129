"""Python's websockets: what it does with the URLs of the environment, as a line of JSON."""

import asyncio
import json
import os

import websockets


async def main():
    url = os.environ["FOREIGN_URL"]
    messages = ["", "é€😀", "x" * 100_000, bytes(range(256)) * 2000]
    async with websockets.connect(f"{url}?hello", max_size=None) as socket:
        hello = json.loads(await socket.recv())
        echoed = 0
        for message in messages * 20:
            await socket.send(message)
            echoed += await socket.recv() == message
        # In fragments.
        await socket.send(["a", "b", "", "c"])
        echoed += await socket.recv() == "abc"
        await (await socket.ping("p"))
        extensions = socket.response.headers.get("Sec-WebSocket-Extensions", "")
    closed = f"{socket.close_code} {socket.close_reason}"
    async with websockets.connect(f"{url}?close=1011&reason=x&after=1") as socket:
        await socket.send("a")
        await socket.recv()
        await socket.wait_closed()
        fault = f"{socket.close_code} {socket.close_reason}"
    path = hello["path"]
    print(json.dumps(dict(path=path, echoed=echoed, extensions=extensions, closed=closed, fault=fault)))


asyncio.run(main())
