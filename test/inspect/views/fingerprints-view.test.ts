import { expect, test } from 'vitest';
import { http2Fingerprints } from '../../../src/inspect/views/fingerprints-view.ts';
import * as h2 from '../../_frames.ts';
import { http2Reader } from '../http2/_reader.ts';

const priority = (stream: number): Buffer =>
  h2.frame(h2.PRIORITY, 0, stream, Buffer.from([0x80, 0, 0, 1, 41]));

/** What is collected of the frames of a client, in pieces. */
function collect(...frames: Buffer[]) {
  const reader = http2Reader();
  reader.received(Buffer.concat([h2.PREFACE, ...frames]), 0);
  const stream = reader.stream(1);
  if (!stream) throw new Error('there is no stream 1');
  const { opening } = reader;
  return { opening, fingerprints: http2Fingerprints(stream, opening) };
}

test('PRIORITY after the first request belongs to the fingerprint', () => {
  const { fingerprints } = collect(
    h2.frame(h2.SETTINGS, 0, 0, Buffer.from([0, 3, 0, 0, 0, 100])),
    h2.frame(h2.WINDOW_UPDATE, 0, 0, h2.uint32(1000)),
    priority(3),
    h2.get(1, '/'),
    h2.frame(h2.SETTINGS, 0, 0, Buffer.from([0, 3, 0, 0, 0, 1])),
    h2.frame(h2.WINDOW_UPDATE, 0, 0, h2.uint32(5)),
    h2.frame(h2.WINDOW_UPDATE, 0, 1, h2.uint32(7)),
    priority(5),
  );
  expect(fingerprints).toMatchObject({
    akamai_fingerprint: '3:100|1000|3:1:1:42,5:1:1:42|m,s,a,p',
    akamai_fingerprint_hash: expect.stringMatching(/^[0-9a-f]{32}$/),
    ja4h: expect.stringMatching(/^ge20nn00/),
  });
  expect(fingerprints).not.toHaveProperty('priorities_left_out');
});

test('without SETTINGS and with many PRIORITY frames it is bounded', () => {
  const many = Array.from({ length: 100 }, (_, at) => priority(2 * at + 3));
  const { opening, fingerprints } = collect(h2.get(1, '/'), ...many);
  expect(opening).toMatchObject({ settings: undefined, increment: undefined });
  expect(opening.priorities).toHaveLength(64);
  expect(fingerprints).toMatchObject({ priorities_left_out: 36 });
  expect(fingerprints['akamai_fingerprint']).toMatch(/^\|00\|3:1:1:42,.*\|m,s,a,p$/);
});
