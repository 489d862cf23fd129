import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { nodeAddress, parseForwarded } from '../../src/http/forwarded.ts';

function parsed(value: string): Record<string, string>[] | undefined {
  return parseForwarded(value)?.map((element) => Object.fromEntries(element));
}

/** Formats a forwarded-pair. */
function write([key, value, quotes]: [string, string, boolean]): string {
  const bare = !quotes && /^[\w.-]+$/.test(value);
  return `${key}=${bare ? value : `"${value.replace(/["\\]|(?<=a)./g, String.raw`\$&`)}"`}`;
}

describe('RFC 7239 4', () => {
  test.each([
    ['for="_gazonk"', [{ for: '_gazonk' }]],
    ['For="[2001:db8:cafe::17]:4711"', [{ for: '[2001:db8:cafe::17]:4711' }]],
    [
      'for=192.0.2.60;proto=http;by=203.0.113.43',
      [{ for: '192.0.2.60', proto: 'http', by: '203.0.113.43' }],
    ],
    ['for=192.0.2.43, for=198.51.100.17', [{ for: '192.0.2.43' }, { for: '198.51.100.17' }]],
    ['for=a,for=b \t,\t for=c', [{ for: 'a' }, { for: 'b' }, { for: 'c' }]],
    ['', []],
    [', ,', []],
    [';', []],
    ['for=a;', [{ for: 'a' }]],
    [';;for=a;;proto=b', [{ for: 'a', proto: 'b' }]],
    [', for=a,, for=b,', [{ for: 'a' }, { for: 'b' }]],
    ['FOR=a;Secret=x', [{ for: 'a', secret: 'x' }]],
    [String.raw`for="a\"b\\c,;=d"`, [{ for: String.raw`a"b\c,;=d` }]],
    ['for=""', [{ for: '' }]],
    ['__proto__=a', [{ ['__proto__']: 'a' }]],
  ])('%j', (value, elements) => {
    expect(parsed(value)).toEqual(elements);
  });

  test.each([
    'for',
    'for=',
    '=a',
    'for =a',
    'for= a',
    'for=a; proto=b',
    'for=a proto=b',
    'for="a"b',
    'for="a"proto=b',
    'for="a',
    'for="a, for=b',
    'for="a\u0100"',
    'for=192.0.2.1:80',
    'for=[::1]',
    'for=a;for=b',
    'for=a;FOR=b',
    'for=a\0',
    '"for"=a',
  ])('%j is rejected', (value) => {
    expect(parsed(value)).toBeUndefined();
  });

  const name = fc.stringMatching(/^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,8}$/);
  const text = fc.stringMatching(/^[\t -~\u0080-\u00ff]{0,12}$/);
  const element = fc.uniqueArray(fc.tuple(name, text, fc.boolean()), {
    minLength: 1,
    maxLength: 5,
    selector: ([key]) => key.toLowerCase(),
  });

  test('formatted values can be parsed', () => {
    fc.assert(
      fc.property(
        fc.array(element, { maxLength: 5 }),
        fc.constantFrom(',', ', ', ' ,\t'),
        (list, comma) => {
          const field = list.map((pairs) => pairs.map(write).join(';')).join(comma);
          const read = parseForwarded(field)?.map((map) => Array.from(map));
          expect(read).toEqual(
            list.map((pairs) => pairs.map(([key, value]) => [key.toLowerCase(), value])),
          );
        },
      ),
      { numRuns: 500 },
    );
  });

  test('long values are parsed quickly', () => {
    for (const piece of ['for=a,', ',', ' ', ';', '"', 'for="a', String.raw`\"`, 'a']) {
      const value = piece.repeat(32 * 1024);
      const start = process.cpuUsage();
      parseForwarded(value);
      parseForwarded(`for="${value}`);
      expect(process.cpuUsage(start).user).toBeLessThan(500_000);
    }
  });
});

test.each([
  ['192.0.2.43', '192.0.2.43'],
  ['192.0.2.43:47011', '192.0.2.43'],
  ['192.0.2.43:_port', '192.0.2.43'],
  ['[2001:DB8:cafe::17]', '2001:db8:cafe::17'],
  ['[2001:db8:cafe::17]:47011', '2001:db8:cafe::17'],
  ['[::ffff:192.0.2.1]', '::ffff:192.0.2.1'],
  ['2001:db8::1', undefined],
  ['unknown', undefined],
  ['unknown:80', undefined],
  ['_hidden', undefined],
  ['_SEVKISEK:80', undefined],
  ['[192.0.2.1]', undefined],
  ['[::1', undefined],
  ['192.0.2.43:', undefined],
  ['192.0.2.43:123456', undefined],
  ['192.0.2.43:-1', undefined],
  ['192.0.2.043', undefined],
  ['[fe80::1%eth0]', undefined],
  ['host.example', undefined],
  [' 192.0.2.43', undefined],
  ['', undefined],
])('RFC 7239 6: the address of the node %j is %s', (node, address) => {
  expect(nodeAddress(node)).toBe(address);
});
