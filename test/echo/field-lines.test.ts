import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { prettyJson } from '../../src/server/reply.ts';
import { withFieldLines } from '../../src/echo/field-lines.ts';
import { everywhere } from '../_everywhere.ts';

const latin1 = fc.string({
  unit: fc.integer({ min: 0, max: 255 }).map((code) => String.fromCodePoint(code)),
});

test('field lines with any characters survive a round trip through JSON', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(latin1, latin1)), latin1, (pairs, before) => {
      const object = { before, nested: { raw_headers: [] }, raw_headers: [], after: [] };
      const text = withFieldLines(prettyJson(object), 'raw_headers', pairs.flat());
      expect(JSON.parse(text)).toEqual({ ...object, raw_headers: pairs });
    }),
  );
});

test('a string value that looks like the member is not changed', () => {
  const body = '\n  "raw_headers": []';
  const text = withFieldLines(prettyJson({ body, raw_headers: [] }), 'raw_headers', ['A', 'b']);
  expect(JSON.parse(text)).toEqual({ body, raw_headers: [['A', 'b']] });
});

everywhere(({ client }) => {
  test('the echo has one field per line', async () => {
    const headers = { 'X-A': 'a"b', 'x-b': '1' };
    const text = (await client().request('/anything', { headers })).body.toString();
    expect(text).toMatch(/^ {4}\["x-a", "a\\"b"\],$/im);
    expect(text).toMatch(/^ {4}\["x-b", "1"\],?$/im);
    expect(text).toMatch(/^ {2}"raw_headers": \[\n {4}\["/m);
  });
});
