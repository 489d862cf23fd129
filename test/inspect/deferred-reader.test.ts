import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { DeferredReader } from '../../src/inspect/deferred-reader.ts';
import type { ProtocolReader } from '../../src/inspect/protocol-reader.ts';

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
  const reader = new DeferredReader();
  const recorder = new Recorder();
  reader.received(Buffer.from('ab'));
  reader.sent(Buffer.from('xy'));
  reader.received(Buffer.from('cd'));
  expect(reader).toMatchObject({ isStarted: false, bytesKept: 6 });
  expect(reader.undetected).toEqual({ bytes: Buffer.from('abcd'), length: 4 });
  reader.start(recorder, 0);
  expect(recorder.text).toBe('>ab<xy>cd');
  reader.sent(Buffer.from('z'));
  reader.received(Buffer.from('e'));
  reader.sentEnd();
  expect(recorder.text).toBe('>ab<xy>cd<z>e<end');
  expect(reader).toMatchObject({ isStarted: true, bytesKept: 1000 });
});

test('the bytes before those of the protocol are left out, however they are split', () => {
  const header = 'PROXY UNKNOWN\r\n';
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 20 }), { maxLength: 10 }), (sizes) => {
      const reader = new DeferredReader();
      const recorder = new Recorder();
      let rest = `${header}GET /`;
      for (const size of sizes) {
        if (rest !== '') reader.received(Buffer.from(rest.slice(0, size)));
        rest = rest.slice(size);
      }
      if (rest !== '') reader.received(Buffer.from(rest));
      reader.start(recorder, header.length);
      expect(recorder.text.replaceAll('>', '')).toBe('GET /');
    }),
  );
});

test('the first 64 KiB are kept, and are a copy', () => {
  const reader = new DeferredReader();
  const piece = Buffer.alloc(40_000, 'a');
  reader.received(piece);
  piece.fill('b');
  reader.received(piece);
  reader.sent(piece);
  expect(reader.bytesKept).toBe(65_536);
  expect(reader.undetected.length).toBe(80_000);
  expect(reader.undetected.bytes.toString()).toBe('a'.repeat(40_000) + 'b'.repeat(25_536));
});
