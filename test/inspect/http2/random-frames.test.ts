import * as fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { until } from '../../_adapters.ts';
import * as h2 from '../../_frames.ts';
import { InspectedServer } from './_inspected.ts';

const SEQUENCES = 200;
const MARK = 'the last';
const INTERNAL_ERROR = 2;
const streams = fc.constantFrom(0, 1, 3, 5, 9);
const payloads = fc.constantFrom(
  ...[0, 5, 6, 8].map((length) => Buffer.alloc(length)),
  h2.uint32(1),
  h2.uint32(2 ** 31 - 1),
  h2.fieldBlock([['a', 'b']]),
);
const anyFrame = fc.oneof(
  fc
    .tuple(fc.constantFrom(1, 3, 5, 2), fc.constantFrom('/', 'x'))
    .map(([stream, path]) => h2.get(stream, path)),
  fc.constantFrom(1, 3, 5, 7).map((stream) => h2.post(stream, '/')),
  fc
    .tuple(
      fc.constantFrom(0, 1, 2, 3, 4, 6, 8, 9, 11, 16),
      fc.constantFrom(0, 1, 4, 5, 8, 0x20, 0x2d),
      streams,
      payloads,
    )
    .map(([type, flags, stream, payload]) => h2.frame(type, flags, stream, payload)),
);

let server: InspectedServer;
beforeAll(async () => {
  server = await InspectedServer.start();
});
afterAll(() => server.close());

/** What Node refuses of the frames, and for which of it our readers have no reason. */
async function withoutReason(
  frames: readonly Buffer[],
): Promise<{ refused: number; unknown: string[] }> {
  let violations = 0;
  const { client, reader, delivered } = await server.connect({
    onFrame: (seen) => {
      if (seen.frame.from === 'client') violations += seen.violations.length;
    },
  });
  client.send(...frames, h2.frame(h2.PING, 0, 0, Buffer.from(MARK)));
  const isAnswered = (): boolean =>
    client.got(h2.PING).some(({ payload }) => payload.toString() === MARK);
  await until(() => client.ended || client.goaway() !== undefined || isAnswered());
  // An internal error, which Node reports now and then on a busy machine, refuses no frame.
  const isInternal = client.goaway() === INTERNAL_ERROR;
  const ended = !isInternal && (client.goaway() !== undefined || client.ended);
  const reset = client
    .got(h2.RST_STREAM)
    .map(({ stream }) => stream)
    .filter((stream) => !delivered.has(stream));
  const unknown = [
    ...(ended && violations === 0 ? [`GOAWAY ${client.goaway()}`] : []),
    ...reset
      .filter((id) => reader.stream(id)?.refusalReasons.length === 0)
      .map((id) => `stream ${id}`),
  ];
  client.socket.destroy();
  return { refused: reset.length + Number(ended), unknown };
}

test('there is a reason for whatever Node refuses', async () => {
  let refused = 0;
  for (const frames of fc.sample(fc.array(anyFrame, { minLength: 1, maxLength: 5 }), SEQUENCES)) {
    const found = await withoutReason(frames);
    expect([frames.map((frame) => frame.toString('hex')), found.unknown]).toEqual([
      frames.map((frame) => frame.toString('hex')),
      [],
    ]);
    refused += found.refused;
  }
  expect(refused).toBeGreaterThan(SEQUENCES / 4);
});
