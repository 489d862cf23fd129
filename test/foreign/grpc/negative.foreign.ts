import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { sharedService } from '../../_shared.ts';
import { fieldBlock } from '../../../src/wire/http2/hpack-encoder.ts';
import { HpackDecoder } from '../../../src/wire/http2/hpack-decoder.ts';
import { frame, FrameType, PREFACE } from '../../../src/wire/http2/frame.ts';
import { expectCase } from './_interop.ts';
import { missing, run } from './_program.ts';

const HEADER = 9;

/** Adds a field to each request of an HTTP/2 client that can be told of none. */
class FieldAdder {
  readonly #field: readonly [string, string];
  readonly #hpack = new HpackDecoder({ maxListSize: 10_000 });
  #rest = Buffer.alloc(0);
  #hasPreface = false;

  constructor(field: readonly [string, string]) {
    this.#field = field;
  }

  push(piece: Buffer): Buffer {
    const passed: Buffer[] = [];
    let bytes = Buffer.concat([this.#rest, piece]);
    if (!this.#hasPreface && bytes.length >= PREFACE.length) {
      this.#hasPreface = true;
      passed.push(PREFACE);
      bytes = bytes.subarray(PREFACE.length);
    }
    while (this.#hasPreface && bytes.length >= HEADER) {
      const end = HEADER + bytes.readUIntBE(0, 3);
      if (bytes.length < end) break;
      const [type, flags = 0] = bytes.subarray(3, 5);
      const stream = bytes.readUInt32BE(5);
      if (type === FrameType.headers) {
        const { fields } = this.#hpack.decode(bytes.subarray(HEADER, end));
        const all = fields.map(({ name, value }) => [name, value] as const);
        passed.push(frame(type, flags, stream, fieldBlock([...all, this.#field])));
      } else passed.push(bytes.subarray(0, end));
      bytes = bytes.subarray(end);
    }
    this.#rest = Buffer.from(bytes);
    return Buffer.concat(passed);
  }
}

/** A port in front of another, where each request gets a field. */
async function adding(field: readonly [string, string], port: number): Promise<number> {
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const upstream = connect(port, '127.0.0.1');
    const adder = new FieldAdder(field);
    client.on('data', (piece: Buffer) => upstream.write(adder.push(piece)));
    client.on('end', () => upstream.end());
    upstream.pipe(client);
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', () => undefined);
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

const running = sharedService();

describe.skipIf(missing('grpc-http2-client'))("gRPC's negative HTTP/2 client", () => {
  test.each([
    'goaway',
    'rst_after_header',
    'rst_during_data',
    'rst_after_data',
    'ping',
    'max_streams',
  ])('%s', async (name) => {
    const port = await adding(['wirebin-fault', name], running().port);
    const target = ['--server_host=127.0.0.1', `--server_port=${port}`, `--test_case=${name}`];
    const { code, stderr } = await run('grpc-http2-client', target);
    // It expects UNKNOWN, where its own transport has said INTERNAL since NO_ERROR has a row in its table.
    if (name === 'rst_during_data') expect(stderr).toContain('= _, Internal, want _, Unknown');
    else expect(code, stderr.slice(-1000)).toBe(0);
  });

  // Its client in C++ has these; the case of Go is any with a large response that has to arrive.
  test.each(['data_frame_padding', 'no_df_padding_sanity_test'])('%s', async (name) => {
    const port = await adding(['wirebin-fault', name], running().port);
    await expectCase('large_unary', port);
  });
});
