import { expect, test } from 'vitest';
import { detectProtocol } from '../../src/net/detect-protocol.ts';

const PREFACE = 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n';
const bytes = (text: string): Buffer => Buffer.from(text, 'latin1');

test('no bytes: more are needed', () => {
  expect(detectProtocol(bytes(''))).toBe('more');
});

test('one byte is enough for TLS (RFC 9846 5.1)', () => {
  expect(detectProtocol(bytes('\x16'))).toBe('tls');
});

test('every prefix of the preface needs more, the complete preface is HTTP/2 (RFC 9113 3.4)', () => {
  for (let length = 1; length < PREFACE.length; length++) {
    expect(detectProtocol(bytes(PREFACE.slice(0, length)))).toBe('more');
  }
  expect(detectProtocol(bytes(PREFACE))).toBe('h2');
  expect(detectProtocol(bytes(`${PREFACE}\0\0\0\x04`))).toBe('h2');
});

test('a preface with any byte changed is HTTP/1.1', () => {
  for (let at = 0; at < PREFACE.length; at++) {
    const wrong = bytes(PREFACE);
    wrong[at] = 0x7e;
    expect(detectProtocol(wrong)).toBe('h1');
    expect(detectProtocol(wrong.subarray(0, at + 1))).toBe('h1');
  }
});

test.each(['G', 'GET / HTTP/1.1\r\n', 'POST', 'PRI /x HTTP/1.1\r\n', '\0', '\x15', '\x80'])(
  '%j is HTTP/1.1',
  (text) => {
    expect(detectProtocol(bytes(text))).toBe('h1');
  },
);
