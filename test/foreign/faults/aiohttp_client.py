"""aiohttp, with a session and an event loop for each transfer."""

import asyncio
from contextlib import contextmanager

import aiohttp

from transfers import SECONDS, Told, send_all


@contextmanager
def opened():
    with asyncio.Runner() as runner:

        async def begin():
            connector = aiohttp.TCPConnector(ssl=False)
            timeout = aiohttp.ClientTimeout(total=SECONDS)
            return aiohttp.ClientSession(connector=connector, timeout=timeout)

        session = runner.run(begin())

        async def transfer(request, report):
            expects = request.fields.pop("Expect", None) is not None
            options = {"headers": request.fields, "data": request.content}
            async with session.request(
                request.method, request.url, expect100=expects, **options
            ) as response:
                report.status = response.status
                async for piece in response.content.iter_any():
                    report.received += len(piece)

        def send(request, report):
            try:
                runner.run(transfer(request, report))
            except aiohttp.ClientResponseError as error:
                # Its text ends with the URL, and its message with the bytes.
                message = " ".join(error.message.split("\n\n")[0].split())
                raise Told(f"ClientResponseError: {error.status}, {message}") from error

        yield send
        runner.run(session.close())


send_all(opened)
