#!/usr/bin/env bash
# @connectrpc/connect-node 2.3.0 and grpc-js 1.14.7 as gRPC clients: a server ends a call with NOT_FOUND (5) and a
# grpc-message whose percent signs are only partly encoded, as a proxy that writes it by hand might send. gRPC over
# HTTP/2 requires clients to decode what they can, and never to fail because of the rest.
#
# A guess: both report 5, with the message decoded except for the lone percent sign.
# Found: connect-node reports UNKNOWN (2), "URI malformed": the status is lost, with everything that depends on it.
# grpc-js reports 5, but decodes nothing of such a message, which is the least that is required.
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
import { createServer } from 'node:http2';
import { create, createFileRegistry } from '@bufbuild/protobuf';
import { FileDescriptorSetSchema, file_google_protobuf_empty } from '@bufbuild/protobuf/wkt';
import { createClient } from '@connectrpc/connect';
import { createGrpcTransport } from '@connectrpc/connect-node';
import { Client, Metadata, credentials } from '@grpc/grpc-js';

let message;
const server = createServer();
server.on('stream', (stream) => {
  const fields = { ':status': 200, 'content-type': 'application/grpc', 'grpc-status': '5', 'grpc-message': message };
  stream.respond(fields, { endStream: true });
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
for (message of ['%E2%82%AC 5, 100%25', '%E2%82%AC 5, 100%']) {
  for (const [client, call] of Object.entries(calls)) {
    const error = await call().catch((reason) => reason);
    console.log(`${message} ${client}: status ${error.code}, ${error.rawMessage ?? error.details}`);
  }
}
process.exit();
JS
node_modules/node/bin/node run.mjs | tee out.txt
diff out.txt - <<'TEXT'
%E2%82%AC 5, 100%25 grpc-js: status 5, € 5, 100%
%E2%82%AC 5, 100%25 connect-node: status 5, € 5, 100%
%E2%82%AC 5, 100% grpc-js: status 5, %E2%82%AC 5, 100%
%E2%82%AC 5, 100% connect-node: status 2, URI malformed
TEXT
