import { expect, test } from 'vitest';
import { inDialect } from '../_in.ts';

const client = inDialect('go-httpbin');

// Each as go-httpbin 2.26 shows it.
test.each([
  ['b=2; a=1', '"a": "1",\n    "b": "2"'],
  ['a="q"', '"a": "q"'],
  ['a="q r"', '"a": "q r"'],
  ['a=""', '"a": ""'],
  ['a', '"a": ""'],
  ['a=1; a=2', '"a": "2"'],
  ['a =1', '"a": "1"'],
  ['a= 1', '"a": " 1"'],
  ['a=b=c', '"a": "b=c"'],
  ['a="x"y"; b=1', '"b": "1"'],
  [String.raw`a=x\y; b=1`, '"b": "1"'],
  ['a="; b=1', '"b": "1"'],
  ['a b=1; c=1', '"c": "1"'],
])('Cookie: %s', async (cookie, shown) => {
  const { body } = await client().request('/cookies', { headers: { cookie } });
  expect(body.toString()).toBe(`{\n  "cookies": {\n    ${shown}\n  }\n}\n`);
});
