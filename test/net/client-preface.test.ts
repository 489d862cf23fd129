import { describe, expect, test } from 'vitest';
import {
  captureClientPreface,
  MAX_CLIENT_PREFACE,
  parseClientPreface,
  PrefaceCapture,
  type Frame,
} from '../../src/net/client-preface.ts';
import { frame, HEADERS, PREFACE, PRIORITY, SETTINGS, uint32, WINDOW_UPDATE } from '../_frames.ts';
import { fingerprints, preface, prefaces } from './_client-prefaces.ts';

/** Whether the first bytes of a client suffice for all that is captured of it. */
function suffices(bytes: Uint8Array): boolean {
  return !new PrefaceCapture().add(bytes);
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

  test('is captured once its first HEADERS are there, in any pieces', () => {
    const capture = new PrefaceCapture();
    for (let length = 1; length <= bytes.length; length++) {
      const isPartial = capture.add(bytes.subarray(length - 1, length));
      expect(capture.frames).toEqual(captureClientPreface(bytes.subarray(0, length)));
      expect([length, isPartial]).toEqual([length, length < ends.headers]);
    }
    const { frames } = capture;
    expect(capture.add(bytes)).toBe(false);
    expect(capture.frames).toBe(frames);
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
    expect(missing).toBe('the first HEADERS did not arrive, or were not captured');
  });
});

test("captured frames are copies, not slices of Node's buffers", () => {
  const own = Buffer.alloc(64 * 1024, 'a');
  own.set(preface('curl'));
  const capture = new PrefaceCapture();
  capture.add(own.subarray(0, preface('curl').length));
  expect(capture.frames?.bytes.buffer.byteLength).toBe(capture.frames?.bytes.length);
});

test('the reserved bit of a stream identifier is ignored (RFC 9113 4.1)', () => {
  expect(only(frame(WINDOW_UPDATE, 0, 0x80000001, uint32(5))).stream).toBe(1);
});

describe('unusual prefaces', () => {
  test('at most 512 bytes of frames are captured', () => {
    const flood = Array.from({ length: 100 }, () => frame(PRIORITY, 0, 3, Buffer.alloc(5)));
    const bytes = withPreface(frame(SETTINGS, 0, 0), ...flood);
    expect(suffices(bytes.subarray(0, PREFACE.length + 9))).toBe(false);
    expect(suffices(bytes)).toBe(true);
    const kept = captureClientPreface(bytes);
    expect(kept.bytes.length).toBeLessThanOrEqual(MAX_CLIENT_PREFACE);
    expect(kept.bytes.length).toBeGreaterThan(MAX_CLIENT_PREFACE - 14);
    const reason = 'the frames before the first HEADERS exceed 512 bytes';
    expect(parseClientPreface(kept).missing).toBe(reason);
  });

  test('a frame that is too long is not waited for', () => {
    const bytes = withPreface(frame(SETTINGS, 0, 0, Buffer.alloc(16_380)));
    expect(suffices(bytes.subarray(0, PREFACE.length + MAX_CLIENT_PREFACE - 1))).toBe(false);
    expect(suffices(bytes.subarray(0, PREFACE.length + MAX_CLIENT_PREFACE))).toBe(true);
    expect(captureClientPreface(bytes).bytes).toHaveLength(0);
  });

  test('HEADERS shorter than a priority is complete', () => {
    const bytes = withPreface(frame(SETTINGS, 0, 0), frame(HEADERS, 4, 1, Buffer.from([0x82])));
    expect(suffices(bytes)).toBe(true);
    expect(captureClientPreface(bytes)).toMatchObject({
      bytes: { length: 19 },
      missing: undefined,
    });
  });
});
