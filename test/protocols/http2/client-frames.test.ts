import { expect, test } from 'vitest';
import { ClientFrames } from '../../../src/protocols/http2/client-frames.ts';
import * as h2 from '../../_frames.ts';

const ping = h2.frame(h2.PING, 0, 0, Buffer.from('8 bytes.'));
const settings = h2.frame(h2.SETTINGS, 0, 0, Buffer.alloc(12));
const update = h2.frame(h2.WINDOW_UPDATE, 0, 3, h2.uint32(1000));

/** Type, stream and length of the frames in bytes that come in pieces. */
function framesIn(bytes: Buffer, size: number): number[][] {
  const reader = new ClientFrames(16_384);
  const found: number[][] = [];
  for (let at = 0; at < bytes.length; at += size) {
    const frames = reader.read(bytes.subarray(at, at + size));
    found.push(...frames.map(({ type, stream, payload }) => [type, stream, payload.length]));
  }
  return found;
}

const PING = [h2.PING, 0, 8];
const SETTINGS = [h2.SETTINGS, 0, 12];
const UPDATE = [h2.WINDOW_UPDATE, 3, 4];

test.each([1, 2, 5, 9, 17, 1000])('finds frames in order in pieces of %i bytes', (size) => {
  const bytes = Buffer.concat([
    // The rest of a frame.
    Buffer.from('of the content'),
    ping,
    h2.frame(h2.DATA, 0, 1, Buffer.alloc(100, 'x')),
    settings,
    ping,
    // GREASE of RFC 8701.
    h2.frame(0x0b, 0xff, 0, ping),
    update,
    ping,
    h2.frame(h2.SETTINGS, 0, 0),
  ]);
  const expected = [PING, SETTINGS, PING, UPDATE, PING, [h2.SETTINGS, 0, 0]];
  expect(framesIn(bytes, size)).toEqual(expected);
});

const zeros = Buffer.alloc(4);

test.each([
  [
    'acknowledgements',
    Buffer.concat([h2.frame(h2.PING, 1, 0, Buffer.alloc(8)), h2.frame(h2.SETTINGS, 1, 0)]),
  ],
  ['a PING of another length', h2.frame(h2.PING, 0, 0, Buffer.alloc(7, 'x'))],
  ['SETTINGS of another length', h2.frame(h2.SETTINGS, 0, 0, Buffer.alloc(7, 'x'))],
  ['a PING on a stream', h2.frame(h2.PING, 0, 1, Buffer.from('8 bytes.'))],
  ['zeros', Buffer.alloc(1000)],
  ['part of a PING', ping.subarray(0, 16)],
  ['content with a frame in it', h2.frame(h2.DATA, 0, 1, Buffer.concat([ping, settings]))],
  [
    'content that is like SETTINGS with the next frame',
    Buffer.concat([
      h2.frame(h2.DATA, 0, 1, Buffer.from([0, 0, 0, 0, 4, 0, 0, 0, 0])),
      h2.frame(h2.DATA, 1, 1),
    ]),
  ],
  [
    'DATA whose length is like SETTINGS',
    Buffer.concat([h2.frame(h2.DATA, 0, 1, zeros), h2.frame(h2.DATA, 0, 1, Buffer.alloc(1024))]),
  ],
])('%s: none', (_, bytes) => {
  expect(framesIn(bytes, 1000)).toEqual([]);
});
