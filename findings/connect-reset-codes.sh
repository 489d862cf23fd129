#!/usr/bin/env bash
# @connectrpc/connect-node 2.3.0 and grpc-js 1.14.7 as gRPC clients: the server ends a call with RST_STREAM before its
# response. gRPC over HTTP/2 has a table that maps HTTP/2 error codes to statuses.
#
# A guess: both follow the table, since connect-node has a function for it, and repeat a refused call (RFC 9113 8.7).
# Found: connect-node reports INTERNAL (13) for all five codes but CANCEL. REFUSED_STREAM, UNAVAILABLE (14) in the
# table, and ENHANCE_YOUR_CALM, RESOURCE_EXHAUSTED (8), both of which suggest trying again later, look like a fault of
# the server, so that a retry on UNAVAILABLE does not take place. Only grpc-js sends the refused call again.
#
# Fails if that changes. Needs Node 20 or later and npm, on Linux or macOS.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
platform=$(node -p '`${process.platform}-${process.arch}`')
npm init --yes >npm.log
npm install --no-audit --no-fund --ignore-scripts --force "node@npm:node-$platform@24.21.0" @grpc/grpc-js@1.14.7 \
  @connectrpc/connect@2.3.0 @connectrpc/connect-node@2.3.0 @bufbuild/protobuf@2.17.0 >>npm.log 2>&1
cat >run.mjs <<'JS'
import { once } from 'node:events';
import { constants, createServer } from 'node:http2';
import { create, createFileRegistry } from '@bufbuild/protobuf';
import { FileDescriptorSetSchema, file_google_protobuf_empty } from '@bufbuild/protobuf/wkt';
import { createClient } from '@connectrpc/connect';
import { createGrpcTransport } from '@connectrpc/connect-node';
import { Client, Metadata, credentials } from '@grpc/grpc-js';

let code;
let requests;
const server = createServer();
server.on('stream', (stream) => {
  requests++;
  stream.on('error', () => undefined);
  stream.close(code);
});
server.listen(0, '127.0.0.1');
await once(server, 'listening');
const { port } = server.address();

const type = '.google.protobuf.Empty';
const method = { name: 'M', inputType: type, outputType: type };
const file = { name: 's.proto', package: 's', syntax: 'proto3', service: [{ name: 'S', method: [method] }] };
file.dependency = ['google/protobuf/empty.proto'];
const set = create(FileDescriptorSetSchema, { file: [file_google_protobuf_empty.proto, file] });
const service = createFileRegistry(set).getService('s.S');
const connectClient = createClient(service, createGrpcTransport({ baseUrl: `http://127.0.0.1:${port}` }));
const grpcClient = new Client(`127.0.0.1:${port}`, credentials.createInsecure());
const same = (bytes) => bytes;

const calls = {
  'grpc-js': () =>
    new Promise((_resolve, reject) => {
      grpcClient.makeUnaryRequest('/s.S/M', same, same, Buffer.alloc(0), new Metadata(), reject);
    }),
  'connect-node': () => connectClient.m({}),
};
for (const name of ['INTERNAL_ERROR', 'REFUSED_STREAM', 'CANCEL', 'ENHANCE_YOUR_CALM', 'INADEQUATE_SECURITY']) {
  code = constants[`NGHTTP2_${name}`];
  for (const [client, call] of Object.entries(calls)) {
    requests = 0;
    const status = await call().catch((error) => error.code);
    console.log(`${name} ${client}: status ${status}, requests ${requests}`);
  }
}
process.exit();
JS
node_modules/node/bin/node run.mjs | tee out.txt
diff out.txt - <<'TEXT'
INTERNAL_ERROR grpc-js: status 13, requests 1
INTERNAL_ERROR connect-node: status 13, requests 1
REFUSED_STREAM grpc-js: status 14, requests 2
REFUSED_STREAM connect-node: status 13, requests 1
CANCEL grpc-js: status 1, requests 1
CANCEL connect-node: status 1, requests 1
ENHANCE_YOUR_CALM grpc-js: status 8, requests 1
ENHANCE_YOUR_CALM connect-node: status 13, requests 1
INADEQUATE_SECURITY grpc-js: status 7, requests 1
INADEQUATE_SECURITY connect-node: status 13, requests 1
TEXT
