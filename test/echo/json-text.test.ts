import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { jsonMember, jsonMembers, jsonMilliseconds, jsonText } from '../../src/echo/json-text.ts';
import { toMicrosecond } from '../../src/server/timing.ts';

const strings = fc.string({
  unit: fc.integer({ min: 0, max: 0xffff }).map((code) => String.fromCharCode(code)),
});

test('text of any characters, lone surrogates among them', () => {
  const each = fc.property(fc.oneof(strings, fc.string()), (text) => {
    expect(`"${jsonText(text)}"`).toBe(JSON.stringify(text));
  });
  fc.assert(each);
  for (const text of ['\ud800', 'a\udfff', '\u007f\u2028', '"', '\\', '\u001f', '']) {
    expect(`"${jsonText(text)}"`).toBe(JSON.stringify(text));
  }
});

test('milliseconds', () => {
  const times = fc.oneof(fc.double({ min: 0, max: 1e12, noNaN: true }), fc.integer({ min: 0 }));
  const each = fc.property(times, (time) => {
    expect(jsonMilliseconds(time)).toBe(JSON.stringify(toMicrosecond(time)));
  });
  fc.assert(each);
});

test('members and values of an object', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const text = JSON.stringify({ a: value, b: 1 }, null, 2);
      expect(`{\n${jsonMembers({ a: value, b: 1 })}\n}`).toBe(text);
      expect(`{\n  "a": ${jsonMember(value)},\n  "b": 1\n}`).toBe(text);
    }),
  );
});
