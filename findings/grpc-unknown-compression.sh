#!/usr/bin/env bash
# The gRPC servers of grpc-js 1.14.7, grpcio 1.85.3 and grpclib 0.4.9: a request message compressed with Brotli, which
# Connect for Node can send and none of them supports.
#
# A guess: UNIMPLEMENTED (12) with grpc-accept-encoding, as gRPC's description of compression requires, so that the
# client can send the message again with another encoding.
# Found: 12 from grpc-js, INTERNAL (13) from grpcio, and UNKNOWN (2) from grpclib, as for any fault of a handler. None
# of these answers names the supported encodings, though two of the servers name them in other answers. A client that
# wants to fall back to no compression has to tell three codes from real faults.
#
# Fails if that changes. Needs Node 20 or later, npm, and Python 3.10 or later with pip and venv.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >npm.log
npm install --no-audit --no-fund --ignore-scripts --before=2026-11-30 @grpc/grpc-js@1.14.7 >>npm.log 2>&1
python3 -m venv venv
venv/bin/pip install --quiet grpcio==1.85.3 grpclib==0.4.9 protobuf==7.36.2 h2==4.4.1 hpack==4.2.0 \
  hyperframe==6.1.0 >pip.log 2>&1
cat >server.py <<'PY'
import asyncio

import grpc
from google.protobuf.wrappers_pb2 import StringValue
from grpclib.const import Cardinality, Handler
from grpclib.server import Server


class Grpcio(grpc.GenericRpcHandler):
    def service(self, call):
        echo = lambda request, context: request
        return grpc.unary_unary_rpc_method_handler(echo, StringValue.FromString, StringValue.SerializeToString)


class Grpclib:
    def __mapping__(self):
        async def echo(stream):
            await stream.send_message(await stream.recv_message())

        return {"/s.S/M": Handler(echo, Cardinality.UNARY_UNARY, StringValue, StringValue)}


async def main():
    first = grpc.aio.server()
    first.add_generic_rpc_handlers((Grpcio(),))
    print("grpcio", first.add_insecure_port("127.0.0.1:0"), flush=True)
    await first.start()
    second = Server([Grpclib()])
    await second.start("127.0.0.1", 0)
    print("grpclib", second._server.sockets[0].getsockname()[1], flush=True)
    await second.wait_closed()


asyncio.run(main())
PY
cat >run.mjs <<'JS'
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:http2';
import { createInterface } from 'node:readline';
import { brotliCompressSync } from 'node:zlib';
import grpc from '@grpc/grpc-js';

const python = spawn('venv/bin/python', ['server.py'], { stdio: ['ignore', 'pipe', 'ignore'] });
const servers = [];
for await (const line of createInterface({ input: python.stdout })) if (servers.push(line.split(' ')) === 2) break;
const same = (bytes) => bytes;
const codecs = { requestSerialize: same, requestDeserialize: same, responseSerialize: same, responseDeserialize: same };
const definition = { M: { path: '/s.S/M', requestStream: false, responseStream: false, ...codecs } };
const own = new grpc.Server();
own.addService(definition, { M: ({ request }, answer) => answer(null, request) });
const port = await new Promise((resolve) =>
  own.bindAsync('127.0.0.1:0', grpc.ServerCredentials.createInsecure(), (_error, bound) => resolve(bound)),
);
const headers = { ':method': 'POST', ':path': '/s.S/M', 'content-type': 'application/grpc', te: 'trailers' };
const message = Buffer.from([10, 1, 97]);
const compressed = brotliCompressSync(message);
for (const [name, at] of [['grpc-js', port], ...servers]) {
  const session = connect(`http://127.0.0.1:${at}`);
  for (const [encoding, flag, bytes] of [['identity', 0, message], ['br', 1, compressed]]) {
    const stream = session.request({ ...headers, 'grpc-encoding': encoding });
    stream.end(Buffer.from([flag, 0, 0, 0, bytes.length, ...bytes])).resume();
    let fields = {};
    const add = (more) => (fields = { ...fields, ...more });
    stream.on('response', add).on('trailers', add);
    await once(stream, 'close');
    const { 'grpc-status': status, 'grpc-accept-encoding': accepted = 'not named' } = fields;
    console.log(`${name} ${encoding}: status ${status}, accepted encodings ${accepted}`);
  }
}
python.kill();
process.exit();
JS
node run.mjs | tee out.txt
diff out.txt - <<'TEXT'
grpc-js identity: status 0, accepted encodings identity,deflate,gzip
grpc-js br: status 12, accepted encodings not named
grpcio identity: status 0, accepted encodings identity, deflate, gzip
grpcio br: status 13, accepted encodings not named
grpclib identity: status 0, accepted encodings not named
grpclib br: status 2, accepted encodings not named
TEXT
