#!/usr/bin/env bash
# grpc-js 1.14.7, client and server: calls with deadlines of 24, 25, 40, 50 and 365 days, such as those that stand for
# no deadline. The handler answers after 100 ms with the number of days that are left.
#
# A guess: the handler sees the client's number of days, since gRPC over HTTP/2 can express up to 99999999 hours.
# Found: it does up to 24 days. The server keeps the milliseconds in a signed 32-bit integer: with 25 and 40 days the
# call ends at once with DEADLINE_EXCEEDED; with 50 and 365 days the handler sees 0.3 and 17.0.
#
# Fails if that changes. Needs Node 20 or later and npm.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >npm.log
npm install --no-audit --no-fund --ignore-scripts --before=2026-11-30 @grpc/grpc-js@1.14.7 >>npm.log 2>&1
cat >run.mjs <<'JS'
import { setTimeout as pause } from 'node:timers/promises';
import { Client, Metadata, Server, ServerCredentials, credentials } from '@grpc/grpc-js';

const day = 86_400_000;
const serialize = (text) => Buffer.from(text);
const deserialize = (bytes) => `${bytes} days left`;
const server = new Server();
server.addService(
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
      answer(null, ((call.getDeadline() - Date.now()) / day).toFixed(1));
    },
  },
);
const port = await new Promise((resolve) =>
  server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (_error, bound) => resolve(bound)),
);
const client = new Client(`127.0.0.1:${port}`, credentials.createInsecure());
for (const days of [24, 25, 40, 50, 365]) {
  const options = { deadline: Date.now() + days * day };
  const result = await new Promise((resolve) =>
    client.makeUnaryRequest('/s.S/M', serialize, deserialize, '', new Metadata(), options, (error, text) =>
      resolve(error?.message ?? text),
    ),
  );
  console.log(`${days} days: ${result}`);
}
process.exit();
JS
node run.mjs 2>errors.log | tee out.txt
diff out.txt - <<'TEXT'
24 days: 24.0 days left
25 days: 4 DEADLINE_EXCEEDED: Deadline exceeded
40 days: 4 DEADLINE_EXCEEDED: Deadline exceeded
50 days: 0.3 days left
365 days: 17.0 days left
TEXT
