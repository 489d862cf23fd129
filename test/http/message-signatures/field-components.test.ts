import { expect, test } from 'vitest';
import { FieldComponents } from '../../../src/http/message-signatures/field-components.ts';
import { parseItem } from '../../../src/http/structured-fields.ts';

const FIELDS = [
  ['Host', 'www.example.com'],
  ['X-OWS-Header', '  Leading and trailing whitespace.\t'],
  ['Cache-Control', 'max-age=60'],
  ['cache-control', '   must-revalidate'],
  ['Example-Dict', 'a=1,    b=2;x=1;y=2,   c=(a   b    c), d'],
  ['Example-Header', 'value, with, lots'],
  ['Example-Header', 'of, commas'],
  ['A-List', 'a ,b'],
  ['An-Item', ' 01 '],
  ['X-Empty', ''],
  [':authority', 'a'],
  ['Cookie', 'a=1'],
  ['cookie', 'b=2'],
].flat();
const TYPES: Readonly<Record<string, 'item' | 'list' | 'dictionary'>> = {
  'example-dict': 'dictionary',
  'a-list': 'list',
  'an-item': 'item',
  'x-empty': 'item',
};

/** @param component an identifier, such as `"a";sf` */
function valueOf(component: string): unknown {
  const item = parseItem(component);
  if (item?.value.type !== 'string') throw new Error(component);
  const components = new FieldComponents(FIELDS, ['Expires', 'now'], (name) => TYPES[name]);
  const found = components.valueOf(item.value.value, item.parameters);
  return 'value' in found ? found.value : found.reason;
}

test.each([
  ['"host"', 'www.example.com'],
  ['"x-ows-header"', 'Leading and trailing whitespace.'],
  ['"cache-control"', 'max-age=60, must-revalidate'],
  ['"x-empty"', ''],
  ['"cookie"', 'a=1; b=2'],
  ['"cookie";bs', ':YT0xOyBiPTI=:'],
  ['"example-dict"', 'a=1,    b=2;x=1;y=2,   c=(a   b    c), d'],
  ['"example-dict";sf', 'a=1, b=2;x=1;y=2, c=(a b c), d'],
  ['"a-list";sf', 'a, b'],
  ['"an-item";sf', '1'],
  ['"example-dict";key="a"', '1'],
  ['"example-dict";key="b"', '2;x=1;y=2'],
  ['"example-dict";key="c";sf', '(a b c)'],
  ['"example-dict";key="d"', '?1'],
  ['"example-header";bs', ':dmFsdWUsIHdpdGgsIGxvdHM=:, :b2YsIGNvbW1hcw==:'],
  ['"expires";tr', 'now'],
])('RFC 9421 2.1: %s is %j', (component, expected) => {
  expect(valueOf(component)).toBe(expected);
});

test.each([
  ['"expires"', 'the request has no such field'],
  ['"host";tr', 'the request has no such trailer field'],
  ['":authority"', 'the request has no such field'],
  ['"Host"', 'field names are covered in lower case'],
  ['"host";sf', 'sf needs the type of the field, which wirebin does not know'],
  ['"x-empty";sf', 'the field is not a valid item'],
  ['"example-dict";key="e"', 'the field does not have this key'],
  ['"example-dict";key=e', 'key has to be a string'],
  ['"a-list";key="a"', 'key is for dictionaries, but the field is of type list'],
  ['"x-ows-header";key="a"', 'the field is not a valid dictionary'],
  ['"host";bs;sf', 'bs excludes sf and key (RFC 9421 2.1)'],
  ['"host";bs;key="a"', 'bs excludes sf and key (RFC 9421 2.1)'],
  ['"host";bs=?0', 'bs is a flag, and has no value'],
  ['"host";name="a"', 'the parameter name does not apply to fields'],
])('%s has no value: %s', (component, reason) => {
  expect(valueOf(component)).toBe(reason);
});
