// grpc-js, with a channel for each call.
import { createRequire } from 'node:module';
import { makeAll } from './calls.mjs';

const grpc = createRequire(process.env.FOREIGN_MODULES)('@grpc/grpc-js');
const see = (report, received) => report.seen.push(...received.get('a-bin'));
const asIs = (bytes) => bytes;

await makeAll(({ address, method, isUnary, request, metadata, timeout }, report) => {
  // Channels to the same address share connections by default.
  const client = new grpc.Client(address, grpc.credentials.createInsecure(), {
    'grpc.use_local_subchannel_pool': 1,
  });
  const sent = new grpc.Metadata();
  for (const [name, value] of metadata) sent.add(name, value);
  const options = { deadline: Date.now() + timeout };
  return new Promise((resolve) => {
    const end = ({ code, details, metadata: trailers }) => {
      // grpc-js leaves both undefined where it ends a call for some reasons of its own.
      Object.assign(report, { code: String(code), text: details ?? '' });
      see(report, trailers);
      client.close();
      resolve();
    };
    const args = [method, asIs, asIs, request, sent, options];
    if (isUnary) {
      const call = client.makeUnaryRequest(...args, (_, response) => {
        if (response !== undefined) report.messages = 1;
      });
      call.on('metadata', (head) => see(report, head)).on('status', end);
    } else {
      const call = client.makeServerStreamRequest(...args);
      call
        .on('metadata', (head) => see(report, head))
        .on('data', () => report.messages++)
        .on('error', () => undefined)
        .on('status', end);
    }
  });
});
