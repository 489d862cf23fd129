#!/usr/bin/env bash
# grpclib 0.4.9 (h2 4.4.1) as a gRPC client: before the response to a call, the server or a proxy sends 103 (Early
# Hints), ALTSVC (RFC 7838 4), or GOAWAY with the last stream 2^31-1, as before a graceful restart. Another call is in
# progress.
#
# A guess: both calls complete each time: interim responses (RFC 9110 15.2) and ALTSVC are ignored, and GOAWAY does not
# concern streams up to the last one (RFC 9113 6.8).
# Found: both end each time with "Connection lost". 103 and ALTSVC are events of h2 that grpclib does not know: it
# raises NotImplementedError and closes the connection, which the error of the call does not mention. It closes the
# connection on GOAWAY, too.
#
# Fails if that changes. Needs Node 20 or later, and Python 3.10 or later with pip and venv.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet grpclib==0.4.9 protobuf==7.36.2 h2==4.4.1 hpack==4.2.0 hyperframe==6.1.0 >pip.log 2>&1
cat >client.py <<'PY'
import asyncio
import sys

from google.protobuf.wrappers_pb2 import StringValue
from grpclib.client import Channel, UnaryUnaryMethod


async def call(channel, path):
    try:
        method = UnaryUnaryMethod(channel, path, StringValue, StringValue)
        return (await method(StringValue(), timeout=5)).value
    except Exception as error:
        return f"{type(error).__name__}: {error}"


async def main(port):
    raised = []
    asyncio.get_running_loop().set_exception_handler(lambda _, context: raised.append(context["exception"]))
    for path in ("/s.S/Plain", "/s.S/Interim", "/s.S/Altsvc", "/s.S/Goaway"):
        async with Channel("127.0.0.1", port) as channel:
            results = await asyncio.gather(call(channel, "/s.S/Slow"), call(channel, path))
            print(f"/s.S/Slow: {results[0]}, {path}: {results[1]}")
        while raised:
            print(f"raised: {type(error := raised.pop()).__name__} {type(error.args[0]).__name__}")


asyncio.run(main(int(sys.argv[1])))
PY
cat >run.mjs <<'JS'
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http2';
import { setTimeout as pause } from 'node:timers/promises';

const server = createServer();
server.on('session', (session) => session.on('error', () => undefined));
server.on('stream', async (stream, { ':path': path }) => {
  stream.on('error', () => undefined);
  if (path === '/s.S/Interim') stream.additionalHeaders({ ':status': 103, link: '</a>; rel=preload' });
  if (path === '/s.S/Altsvc') stream.session.altsvc('h2=":8000"', stream.id);
  if (path === '/s.S/Goaway') stream.session.goaway(0, 2 ** 31 - 1);
  if (path === '/s.S/Slow') await pause(300);
  else await pause(100);
  if (stream.destroyed) return;
  stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true });
  stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }));
  stream.end(Buffer.from([0, 0, 0, 0, 4, 10, 2, 111, 107]));
});
server.listen(0, '127.0.0.1');
await once(server, 'listening');
const python = spawn('venv/bin/python', ['client.py', server.address().port], { stdio: ['ignore', 'inherit', 'ignore'] });
await once(python, 'close');
process.exit();
JS
node run.mjs | tee out.txt
diff out.txt - <<'TEXT'
/s.S/Slow: ok, /s.S/Plain: ok
/s.S/Slow: StreamTerminatedError: Connection lost, /s.S/Interim: StreamTerminatedError: Connection lost
raised: NotImplementedError InformationalResponseReceived
/s.S/Slow: StreamTerminatedError: Connection lost, /s.S/Altsvc: StreamTerminatedError: Connection lost
raised: NotImplementedError AlternativeServiceAvailable
/s.S/Slow: StreamTerminatedError: Connection lost, /s.S/Goaway: StreamTerminatedError: Connection lost
TEXT
