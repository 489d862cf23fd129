import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { HTTP3_RULES, nghttp2Rules } from '../../../src/wire/http2/message-rules.ts';
import { HpackDecoder } from '../../../src/wire/http2/hpack-decoder.ts';
import { literals } from '../../../src/wire/http2/hpack-encoder.ts';
import { isOrdinaryRequest } from '../../../src/wire/http2/ordinary-request.ts';
import { RequestValidator } from '../../../src/wire/http2/request-validator.ts';

type Line = [name: string, value: string];

const GET: Line[] = [
  [':method', 'GET'],
  [':scheme', 'https'],
  [':authority', 'a.example:8080'],
  [':path', '/a?b=c'],
];
const ORDINARY: Line[] = [...GET, ['accept', '*/*'], ['user-agent', 'x/1']];

const blockOf = (lines: readonly Line[]) => new HpackDecoder().decode(literals(lines));

test('a request of a browser or of curl is ordinary', () => {
  expect(isOrdinaryRequest(blockOf(ORDINARY).fields)).toBe(true);
});

test('what has rules of its own is not', () => {
  for (const line of [
    ['te', 'trailers'],
    ['host', 'x'],
    ['content-length', '0'],
    [':protocol', 'websocket'],
    ['X-A', 'b'],
    ['x-a', ' b'],
  ] as Line[]) {
    expect(isOrdinaryRequest(blockOf([...ORDINARY, line]).fields)).toBe(false);
  }
});

test('no rule of any nghttp2, or of HTTP/3, is broken by what is ordinary', () => {
  const character = fc.oneof(
    fc.constantFrom(...Array.from('aAz09:-_/?*@ \t\n')),
    fc.integer({ min: 0, max: 255 }).map((code) => String.fromCharCode(code)),
  );
  const text = fc.string({ unit: character, maxLength: 4 });
  const name = fc.oneof(
    fc.constantFrom(...GET.map(([each]) => each), 'host', 'te', 'cookie', 'x-a'),
    text,
  );
  const changed = fc.tuple(fc.nat({ max: ORDINARY.length }), fc.nat({ max: 1 }), name, text);
  fc.assert(
    fc.property(
      fc.array(changed, { maxLength: 3 }),
      fc.constantFrom(...['1.50.0', '1.64.0', '1.70.0'].map(nghttp2Rules), HTTP3_RULES),
      (changes, rules) => {
        const lines: Line[] = [...ORDINARY];
        for (const [at, replaced, ...line] of changes) lines.splice(at, replaced, line);
        const block = blockOf(lines);
        if (!isOrdinaryRequest(block.fields)) return;
        const limits = { connectProtocol: true, maxFields: 100, maxListSize: 10_000 };
        const verdict = new RequestValidator({ rules, ...limits }).section(block, false, true);
        expect(verdict.refusalReasons).toEqual([]);
        expect(verdict.faults.filter((fault) => fault !== undefined)).toEqual([]);
      },
    ),
    { numRuns: 2000 },
  );
});
