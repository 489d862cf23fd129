import { describe, expect, test } from 'vitest';
import {
  captureClientPreface,
  peekClientPreface,
  MAX_CLIENT_PREFACE,
  parseClientPreface,
  type Frame,
} from '../../src/net/client-preface.ts';
import { frame, HEADERS, PREFACE, PRIORITY, SETTINGS, uint32, WINDOW_UPDATE } from '../_frames.ts';
import { fingerprints, preface, prefaces } from './_client-prefaces.ts';

const resume = (): void => undefined;

/** Whether there are too few bytes, enough, or enough unless more arrive in time. */
function peek(bytes: Uint8Array): 'more' | 'nearly' | 'enough' {
  const seen = peekClientPreface(bytes, resume);
  if (seen === resume) return 'enough';
  if (typeof seen === 'object' && seen.resume === resume && seen.timeout === 50) return 'nearly';
  expect(seen).toBe(bytes.length + 1);
  return 'more';
}

/** The only frame. */
function only(bytes: Buffer): Frame {
  const [first] = parseClientPreface({ bytes, missing: undefined }).frames;
  if (!first) throw new Error('no frame');
  return first;
}

function withPreface(...frames: Buffer[]): Buffer {
  return Buffer.concat([PREFACE, ...frames]);
}

/** The end of SETTINGS, and of the priority of the first HEADERS, in a captured preface. */
function offsetsIn(bytes: Buffer): { settings: number; headers: number } {
  const settings = PREFACE.length + 9 + bytes.readUIntBE(PREFACE.length, 3);
  let at = settings;
  while (bytes[at + 3] !== HEADERS) at += 9 + bytes.readUIntBE(at, 3);
  return { settings, headers: at + 9 + 6 };
}

test('the list has all fixtures', () => {
  expect(fingerprints.map(([name]) => name)).toEqual(prefaces);
});

describe.each(prefaces)('%s', (name) => {
  const bytes = preface(name);
  const ends = offsetsIn(bytes);

  test('waits for SETTINGS, for HEADERS up to a timeout, and for nothing after them', () => {
    for (let length = 1; length <= bytes.length; length++) {
      const expected =
        length < ends.settings ? 'more' : length < ends.headers ? 'nearly' : 'enough';
      expect([length, peek(bytes.subarray(0, length))]).toEqual([length, expected]);
    }
  });

  test('the captured frames have no field block, and parse like the complete bytes', () => {
    const kept = captureClientPreface(bytes);
    expect(kept.bytes).toHaveLength(ends.headers - PREFACE.length);
    expect(kept.bytes.buffer.byteLength).toBe(kept.bytes.length);
    expect(kept.bytes.length).toBeLessThan(160);
    const parsed = parseClientPreface(kept);
    const all = { bytes: bytes.subarray(PREFACE.length), missing: undefined };
    expect(parsed).toEqual(parseClientPreface(all));
    expect(parsed.frames.at(-1)?.type).toBe(HEADERS);
  });

  test('a preface that ends after SETTINGS is not complete', () => {
    const kept = captureClientPreface(bytes.subarray(0, ends.settings));
    expect(kept.bytes).toHaveLength(ends.settings - PREFACE.length);
    const { frames, missing } = parseClientPreface(kept);
    expect(frames.map(({ type }) => type)).toEqual([SETTINGS]);
    expect(missing).toBe('the first HEADERS arrived more than 50 ms after SETTINGS');
  });
});

test('the reserved bit of a stream identifier is ignored (RFC 9113 4.1)', () => {
  expect(only(frame(WINDOW_UPDATE, 0, 0x80000001, uint32(5))).stream).toBe(1);
});

describe('unusual prefaces', () => {
  test.each([
    ['HTTP/1.1', Buffer.from('GET / HTTP/1.1\r\n')],
    ['a first frame that is not SETTINGS', withPreface(frame(PRIORITY, 0, 3, Buffer.alloc(5)))],
    ['a preface that is wrong at its end', Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\r')],
  ])('%s is handed to the session at once', (_, bytes) => {
    expect(peek(bytes)).toBe('enough');
  });

  test('at most 512 bytes of frames are waited for and captured', () => {
    const flood = Array.from({ length: 100 }, () => frame(PRIORITY, 0, 3, Buffer.alloc(5)));
    const bytes = withPreface(frame(SETTINGS, 0, 0), ...flood);
    expect(peek(bytes.subarray(0, PREFACE.length + 9))).toBe('nearly');
    expect(peek(bytes)).toBe('enough');
    const kept = captureClientPreface(bytes);
    expect(kept.bytes.length).toBeLessThanOrEqual(MAX_CLIENT_PREFACE);
    expect(kept.bytes.length).toBeGreaterThan(MAX_CLIENT_PREFACE - 14);
    const reason = 'the frames before the first HEADERS exceed 512 bytes';
    expect(parseClientPreface(kept).missing).toBe(reason);
  });

  test('a frame that is too long is not waited for', () => {
    const bytes = withPreface(frame(SETTINGS, 0, 0, Buffer.alloc(16_380)));
    expect(peek(bytes.subarray(0, PREFACE.length + MAX_CLIENT_PREFACE - 1))).toBe('more');
    expect(peek(bytes.subarray(0, PREFACE.length + MAX_CLIENT_PREFACE))).toBe('enough');
    expect(captureClientPreface(bytes).bytes).toHaveLength(0);
  });

  test('HEADERS shorter than a priority is complete', () => {
    const bytes = withPreface(frame(SETTINGS, 0, 0), frame(HEADERS, 4, 1, Buffer.from([0x82])));
    expect(peek(bytes)).toBe('enough');
    expect(captureClientPreface(bytes)).toMatchObject({
      bytes: { length: 19 },
      missing: undefined,
    });
  });
});
