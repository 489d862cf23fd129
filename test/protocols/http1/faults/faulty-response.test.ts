import { describe, expect, test } from 'vitest';
import { reasonPhrases } from '../../../../src/http/status.ts';
import {
  faultyResponse,
  type SoundResponse,
} from '../../../../src/protocols/http1/faults/faulty-response.ts';

type Fault = Parameters<typeof faultyResponse>[1];

const DATE = ['Date', 'now'];
const SOUND: SoundResponse = {
  phrases: reasonPhrases,
  status: 200,
  fields: ['Content-Length', '3', ...DATE],
  payload: 'abc',
  hasContent: true,
  hasChunks: true,
};
const streamed = { kind: 'streamed', next: () => undefined } as const;
const CHUNKED = { ...SOUND, fields: DATE, payload: streamed };
const CHUNKED_SECTION = 'HTTP/1.1 200 OK\r\nDate: now\r\nTransfer-Encoding: chunked\r\n\r\n';

const CLOSE = { kind: 'close', at: 'body', after: 0 } as const;

const faulty = (fault: Fault, sound = SOUND) => faultyResponse(sound, fault, false);

// What they send otherwise is asserted byte by byte in test/endpoints/fault.test.ts.
describe('chunks', () => {
  test('none on HTTP/1.0', () => {
    const sound = { ...CHUNKED, hasChunks: false };
    const { head, chunkStart, chunkEnd } = faulty(CLOSE, sound);
    expect(head).not.toContain('chunked');
    expect([chunkStart(26, true), chunkEnd]).toEqual(['', '']);
  });

  test('none for HEAD, but the field that GET would have', () => {
    const sound = { ...CHUNKED, hasContent: false };
    for (const how of ['no-crlf', 'bad-size', 'overflow', 'forbidden-trailer'] as const) {
      const shown = faulty({ kind: 'chunk', how }, sound);
      expect(shown).toMatchObject({ head: CHUNKED_SECTION, chunkEnd: '', tail: '' });
    }
  });

  test('http-1.0: valid ones for HTTP/1.0, which has none, and for nothing else', () => {
    const fault = { kind: 'chunk', how: 'http-1.0' } as const;
    const { head, chunkStart, chunkEnd, tail } = faulty(fault, { ...SOUND, hasChunks: false });
    expect(head).toBe(CHUNKED_SECTION);
    expect([chunkStart(26, true), chunkEnd, tail]).toEqual(['1a\r\n', '\r\n', '0\r\n\r\n']);
    expect(() => faulty(fault)).toThrow('how=http-1.0 is for HTTP/1.0');
    const other = { kind: 'chunk', how: 'no-last' } as const;
    expect(() => faulty(other, { ...SOUND, hasChunks: false })).toThrow('has no chunked coding');
  });

  test('a wrong length replaces them', () => {
    const { head } = faulty({ kind: 'content-length', declared: 9, sent: 3 }, CHUNKED);
    expect(head).toBe('HTTP/1.1 200 OK\r\nDate: now\r\nContent-Length: 9\r\n\r\n');
  });
});
