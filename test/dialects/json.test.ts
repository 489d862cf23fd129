import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { asciiJson, goJson } from '../../src/dialects/json.ts';

/** Text with the characters that are escaped, and those beside them. */
const text = fc.string({
  unit: fc.constantFrom(
    'a',
    '~',
    '"',
    '\\',
    '<',
    '>',
    '&',
    '\u007f',
    '\u0080',
    '\u00e9',
    '\u2027',
    '\u2028',
    '\u2029',
    '\u202a',
    '\uffff',
    '\ud83d\ude00',
  ),
  maxLength: 30,
});

const escape = (character: string): string =>
  `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;

test('JSON of Python has ASCII only', () => {
  fc.assert(
    fc.property(text, (value) => {
      const json = asciiJson([value]);
      expect(json).toBe(JSON.stringify([value]).replace(/[\u007f-\uffff]/g, escape));
      expect(JSON.parse(json)).toEqual([value]);
    }),
  );
});

test('JSON of Go escapes line separators, and markup if that is asked for', () => {
  fc.assert(
    fc.property(text, (value) => {
      const json = JSON.stringify([value]);
      expect(goJson([value], 0, false)).toBe(json.replace(/[\u2028\u2029]/g, escape));
      expect(goJson([value], 0, true)).toBe(json.replace(/[<>&\u2028\u2029]/g, escape));
    }),
  );
});
