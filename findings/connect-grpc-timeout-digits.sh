#!/usr/bin/env bash
# @connectrpc/connect 2.3.0, gRPC with `timeoutMs`, against the servers of @connectrpc/connect-node 2.3.0 and grpc-js
# 1.14.7, on Node 24.21.0. gRPC over HTTP/2 allows grpc-timeout at most eight digits, followed by a unit from hours to
# nanoseconds.
#
# A guess: the client chooses a unit that fits, as grpc-js, grpcio and grpclib do, so that at least its own server
# accepts it.
# Found: it always sends milliseconds, as they are. connect-node itself refuses fractions, such as in the rest of a
# deadline, and two days, which take nine digits, with INVALID_ARGUMENT. grpc-js reads only the digits at the end, up to
# eight: 6 s become 5 ms, which end the call before the handler has answered, 9 s two hours, and two days 20 hours.
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
import { setTimeout as pause } from 'node:timers/promises';
import { create, createFileRegistry, fromBinary, toBinary } from '@bufbuild/protobuf';
import { FileDescriptorSetSchema, StringValueSchema, file_google_protobuf_wrappers } from '@bufbuild/protobuf/wkt';
import { createClient } from '@connectrpc/connect';
import { connectNodeAdapter, createGrpcTransport } from '@connectrpc/connect-node';
import grpc from '@grpc/grpc-js';

const type = '.google.protobuf.StringValue';
const method = { name: 'M', inputType: type, outputType: type };
const file = { name: 's.proto', package: 's', syntax: 'proto3', service: [{ name: 'S', method: [method] }] };
file.dependency = ['google/protobuf/wrappers.proto'];
const set = create(FileDescriptorSetSchema, { file: [file_google_protobuf_wrappers.proto, file] });
const service = createFileRegistry(set).getService('s.S');

const hours = (ms) => `${(ms / 3_600_000).toFixed(1)} h left`;
let header;
const connectServer = createServer(
  connectNodeAdapter({
    routes: (router) =>
      router.service(service, {
        async m(_request, context) {
          await pause(100);
          return { value: hours(context.timeoutMs()) };
        },
      }),
  }),
);
connectServer.on('stream', (_stream, fields) => (header = fields['grpc-timeout']));
connectServer.listen(0, '127.0.0.1');
await once(connectServer, 'listening');

const serialize = (message) => Buffer.from(toBinary(StringValueSchema, message));
const deserialize = (bytes) => fromBinary(StringValueSchema, bytes);
const grpcServer = new grpc.Server();
grpcServer.addService(
  {
    M: {
      ...{ path: '/s.S/M', requestStream: false, responseStream: false },
      ...{ requestSerialize: serialize, requestDeserialize: deserialize },
      ...{ responseSerialize: serialize, responseDeserialize: deserialize },
    },
  },
  {
    async M(call, answer) {
      await pause(100);
      answer(null, create(StringValueSchema, { value: hours(call.getDeadline() - Date.now()) }));
    },
  },
);
const grpcPort = await new Promise((resolve) =>
  grpcServer.bindAsync('127.0.0.1:0', grpc.ServerCredentials.createInsecure(), (_error, port) => resolve(port)),
);
for (const timeoutMs of [3_600_000, 6000.5, 9000.7200001, 172_800_000]) {
  for (const [name, port] of [['connect-node', connectServer.address().port], ['grpc-js', grpcPort]]) {
    const client = createClient(service, createGrpcTransport({ baseUrl: `http://127.0.0.1:${port}` }));
    const result = await client.m({}, { timeoutMs }).then(({ value }) => value, ({ message }) => message);
    console.log(`${header} ${name}: ${result}`);
  }
}
process.exit();
JS
node_modules/node/bin/node run.mjs | tee out.txt
diff out.txt - <<'TEXT'
3600000m connect-node: 1.0 h left
3600000m grpc-js: 1.0 h left
6000.5m connect-node: [invalid_argument] protocol error: invalid grpc timeout value: 6000.5m
6000.5m grpc-js: [deadline_exceeded] Deadline exceeded
9000.7200001m connect-node: [invalid_argument] protocol error: invalid grpc timeout value: 9000.7200001m
9000.7200001m grpc-js: 2.0 h left
172800000m connect-node: [invalid_argument] protocol error: invalid grpc timeout value: 172800000m
172800000m grpc-js: 20.2 h left
TEXT
