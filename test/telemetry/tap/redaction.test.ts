import { expect, test } from 'vitest';
import { redact, redactField, redactLine } from '../../../src/telemetry/tap/redaction.ts';

test.each([
  ['Authorization', 'Basic abc', '[redacted]'],
  ['proxy-authorization', 'Basic abc', '[redacted]'],
  ['Set-Cookie', 'a=1', '[redacted]'],
  ['X-CSRF-Token', 'abc', '[redacted]'],
  ['X-Client-Secret', 'abc', '[redacted]'],
  ['api_key', 'shown', 'shown'],
  ['X-ApiKey', 'abc', '[redacted]'],
  ['X-Api-Key', 'abc', '[redacted]'],
  ['Cookie', '', ''],
  ['Accept', 'text/html?token=shown', 'text/html?token=shown'],
  ['Referer', 'https://a.example', 'https://a.example'],
  ['REFERER', 'https://a.example:1/b?c#d', 'https://a.example:1/[redacted]'],
  ['referer', '/path', '/[redacted]'],
])('%s: %s', (name, value, shown) => {
  expect(redactField(name, value)).toBe(shown);
});

test('an empty value is not redacted', () => {
  expect([redact(''), redact('a')]).toEqual(['', '[redacted]']);
});

test.each([
  ['no word of it', 'no word of it'],
  ['A cookie: abc', 'A cookie[redacted]'],
  ['GET /path?query HTTP/9', 'GET /path?[redacted]'],
  ['ends with a token', 'ends with a token'],
])('%s', (line, shown) => {
  expect(redactLine(line)).toBe(shown);
});
