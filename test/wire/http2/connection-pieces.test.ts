import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { Flag, frame, FrameType, PREFACE, uint32 } from '../../../src/wire/http2/frame.ts';
import { HpackEncoder } from '../../../src/wire/http2/hpack-encoder.ts';
import { piecesOf, place } from '../../fuzz/mutations.ts';
import { GET, POST, Side } from './_side.ts';

const encoder = new HpackEncoder({ maxTableSize: 0 });
const block = (fields: readonly string[]): Buffer => Buffer.from(encoder.encode(fields));
const anyStream = fc.constantFrom(0, 1, 3, 5, 7);
/** Frames of a client: valid ones, and with others between. */
const anyFrame = fc.oneof(
  fc
    .record({ id: anyStream, isEnd: fc.boolean() })
    .map(({ id, isEnd }) =>
      frame(FrameType.headers, Flag.endHeaders | Number(isEnd), id, block(isEnd ? GET : POST)),
    ),
  fc
    .record({ id: anyStream, size: fc.nat(300), isEnd: fc.boolean() })
    .map(({ id, size, isEnd }) =>
      frame(FrameType.data, Number(isEnd), id, Buffer.alloc(size, 'x')),
    ),
  fc
    .record({ id: anyStream, size: fc.nat(9) })
    .map(({ id, size }) =>
      frame(FrameType.data, Flag.padded, id, Buffer.concat([Buffer.of(size), Buffer.alloc(8)])),
    ),
  anyStream.map((id) =>
    Buffer.concat([
      frame(FrameType.headers, 0, id, block(GET).subarray(0, 3)),
      frame(FrameType.continuation, Flag.endHeaders, id, block(GET).subarray(3)),
    ]),
  ),
  anyStream.map((id) => frame(FrameType.rstStream, 0, id, uint32(8))),
  fc
    .record({ id: anyStream, by: fc.constantFrom(0, 1, 2 ** 31 - 1) })
    .map(({ id, by }) => frame(FrameType.windowUpdate, 0, id, uint32(by))),
  fc.constant(frame(FrameType.ping, 0, 0, Buffer.alloc(8))),
  fc.constant(frame(FrameType.settings, 0, 0, Buffer.concat([Buffer.of(0, 4), uint32(100)]))),
  fc.constant(frame(FrameType.priority, 0, 3, Buffer.alloc(5))),
  fc.uint8Array({ maxLength: 30 }).map((bytes) => frame(0xbb, 0, 1, bytes)),
);

/** What a server makes of bytes that arrive in these pieces. */
function result(pieces: readonly Buffer[]) {
  const server = new Side('server');
  const sent: Buffer[] = [];
  server.react = (event, stream) => {
    if (event !== `end ${stream.id}`) return;
    server.connection.sendHeaders(stream, [':status', '200'], false);
    server.connection.send(stream, server.received(stream.id), true);
  };
  for (const piece of pieces) {
    server.connection.receive(piece);
    sent.push(server.take());
  }
  const content = Array.from(server.content.keys(), (id) => [id, server.received(id)]);
  return { events: server.events, content, sent: Buffer.concat(sent) };
}

const isSent = (event: string): boolean => event.startsWith('sent');

test('a connection is the same in pieces of any size', () => {
  fc.assert(
    fc.property(fc.array(anyFrame, { maxLength: 20 }), fc.array(place), (frames, cuts) => {
      const bytes = Buffer.concat([PREFACE, frame(FrameType.settings, 0, 0), ...frames]);
      const whole = result([bytes]);
      const inPieces = result(piecesOf(bytes, cuts));
      // How much of a response had to wait depends on what has been taken.
      expect(inPieces.events.filter((event) => !isSent(event))).toEqual(
        whole.events.filter((event) => !isSent(event)),
      );
      expect(inPieces.content).toEqual(whole.content);
      expect(result(Array.from(bytes, (byte) => Buffer.of(byte))).events).toEqual(whole.events);
    }),
    { numRuns: 200 },
  );
});
