"""aiohttp, with a session and an event loop for each transfer."""

import asyncio
from contextlib import contextmanager

import aiohttp

from transfers import SECONDS, send_all


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

        yield lambda request, report: runner.run(transfer(request, report))
        runner.run(session.close())


send_all(opened)
