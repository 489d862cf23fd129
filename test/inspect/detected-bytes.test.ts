import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { DetectedBytes, type ProtocolReader } from '../../src/inspect/detected-bytes.ts';

/** Keeps what it gets, `>` before the client's bytes and `<` before the server's. */
class Recorder implements ProtocolReader {
  readonly bytesKept = 1000;
  text = '';

  received(bytes: Buffer): void {
    this.text += `>${bytes.toString('latin1')}`;
  }

  sent(bytes: Buffer): void {
    this.text += `<${bytes.toString('latin1')}`;
  }

  sentEnd(): void {
    this.text += '<end';
  }
}

test('bytes before the detection are passed on in order, then all as they come', () => {
  const bytes = new DetectedBytes();
  const recorder = new Recorder();
  bytes.received(Buffer.from('ab'));
  bytes.sent(Buffer.from('xy'));
  bytes.received(Buffer.from('cd'));
  expect(bytes).toMatchObject({ isDetected: false, bytesKept: 6 });
  expect(bytes.undetected).toEqual({ bytes: Buffer.from('abcd'), length: 4 });
  bytes.detected(recorder, 0);
  expect(recorder.text).toBe('>ab<xy>cd');
  bytes.sent(Buffer.from('z'));
  bytes.received(Buffer.from('e'));
  bytes.sentEnd();
  expect(recorder.text).toBe('>ab<xy>cd<z>e<end');
  expect(bytes).toMatchObject({ isDetected: true, bytesKept: 1000 });
});

test('the bytes before those of the protocol are left out, however they are split', () => {
  const header = 'PROXY UNKNOWN\r\n';
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 20 }), { maxLength: 10 }), (sizes) => {
      const bytes = new DetectedBytes();
      const recorder = new Recorder();
      let rest = `${header}GET /`;
      for (const size of sizes) {
        if (rest !== '') bytes.received(Buffer.from(rest.slice(0, size)));
        rest = rest.slice(size);
      }
      if (rest !== '') bytes.received(Buffer.from(rest));
      bytes.detected(recorder, header.length);
      expect(recorder.text.replaceAll('>', '')).toBe('GET /');
    }),
  );
});

test('the first 64 KiB are kept, and are a copy', () => {
  const bytes = new DetectedBytes();
  const piece = Buffer.alloc(40_000, 'a');
  bytes.received(piece);
  piece.fill('b');
  bytes.received(piece);
  bytes.sent(piece);
  expect(bytes.bytesKept).toBe(65_536);
  expect(bytes.undetected.length).toBe(80_000);
  expect(bytes.undetected.bytes.toString()).toBe('a'.repeat(40_000) + 'b'.repeat(25_536));
});
