#!/usr/bin/env bash
# The gRPC servers of grpc-js 1.14.7, grpcio 1.85.3 and grpclib 0.4.9: two values of binary metadata, as two `x-bin`
# fields, and as one with a comma. A proxy may join them (RFC 9110 5.3), as Node's http2 does in `headers`, and gRPC
# over HTTP/2 requires implementations to split -bin fields at commas before decoding them.
#
# A guess: all three receive the bytes 0102 and 0304 both times.
# Found: from one field, only grpc-js does. grpcio answers INTERNAL (13). The handler of grpclib receives a value of
# four other bytes, because its decoder skips the comma. So a correct proxy breaks tracing contexts and tokens in
# binary metadata, but only those that are sent twice.
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
        async def answer(_request, context):
            values = [value.hex() for name, value in context.invocation_metadata() if name == "x-bin"]
            return StringValue(value=" ".join(values))

        return grpc.unary_unary_rpc_method_handler(answer, StringValue.FromString, StringValue.SerializeToString)


class Grpclib:
    def __mapping__(self):
        async def answer(stream):
            await stream.recv_message()
            values = [value.hex() for value in stream.metadata.getall("x-bin")]
            await stream.send_message(StringValue(value=" ".join(values)))

        return {"/s.S/M": Handler(answer, Cardinality.UNARY_UNARY, StringValue, StringValue)}


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
import grpc from '@grpc/grpc-js';

const python = spawn('venv/bin/python', ['server.py'], { stdio: ['ignore', 'pipe', 'inherit'] });
const servers = [];
for await (const line of createInterface({ input: python.stdout })) if (servers.push(line.split(' ')) === 2) break;
const same = (bytes) => bytes;
const codecs = { requestSerialize: same, requestDeserialize: same, responseSerialize: same, responseDeserialize: same };
const definition = { M: { path: '/s.S/M', requestStream: false, responseStream: false, ...codecs } };
const own = new grpc.Server();
own.addService(definition, {
  M({ metadata }, answer) {
    const text = metadata.get('x-bin').map((value) => value.toString('hex')).join(' ');
    answer(null, Buffer.from([10, text.length, ...Buffer.from(text)]));
  },
});
const port = await new Promise((resolve) =>
  own.bindAsync('127.0.0.1:0', grpc.ServerCredentials.createInsecure(), (_error, bound) => resolve(bound)),
);
const headers = { ':method': 'POST', ':path': '/s.S/M', 'content-type': 'application/grpc', te: 'trailers' };
for (const [name, at] of [['grpc-js', port], ...servers]) {
  const session = connect(`http://127.0.0.1:${at}`);
  for (const value of [['AQI', 'AwQ'], 'AQI,AwQ']) {
    const stream = session.request({ ...headers, 'x-bin': value }).end(Buffer.from([0, 0, 0, 0, 3, 10, 1, 97]));
    let [fields, text] = [{}, ''];
    stream.on('response', (first) => (fields = first)).on('trailers', (last) => (fields = last));
    stream.on('data', (piece) => (text += piece));
    await once(stream, 'close');
    console.log(`${name} ${JSON.stringify(value)}: status ${fields['grpc-status']}, values:${text && ' '}${text.slice(7)}`);
  }
}
python.kill();
process.exit();
JS
node run.mjs | tee out.txt
diff out.txt - <<'TEXT'
grpc-js ["AQI","AwQ"]: status 0, values: 0102 0304
grpc-js "AQI,AwQ": status 0, values: 0102 0304
grpcio ["AQI","AwQ"]: status 0, values: 0102 0304
grpcio "AQI,AwQ": status 13, values:
grpclib ["AQI","AwQ"]: status 0, values: 0102 0304
grpclib "AQI,AwQ": status 0, values: 010200c1
TEXT
