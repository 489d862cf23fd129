import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readForwarding } from '../../src/server/forwarding.ts';

const trusts = (address: string): boolean => /^10\.|^2001:db8:/.test(address);

/** Origin, scheme and authority according to these field lines. */
function read(...lines: [name: string, value: string][]): (string | undefined)[] {
  const { client, scheme, authority } = readForwarding(lines.flat(), trusts);
  return [client, scheme, authority];
}

const FOR = 'X-Forwarded-For';
const PROTO = 'X-Forwarded-Proto';
const HOST = 'X-Forwarded-Host';

describe('the client is the last address that is not trusted', () => {
  test.each([
    ['192.0.2.1', '192.0.2.1'],
    ['192.0.2.9, 192.0.2.1', '192.0.2.1'],
    ['192.0.2.1, 10.0.0.1', '192.0.2.1'],
    ['192.0.2.9,192.0.2.1,10.0.0.1,10.0.0.2', '192.0.2.1'],
    ['10.0.0.1, 10.0.0.2', '10.0.0.1'],
    ['192.0.2.1, unknown', undefined],
    ['192.0.2.1, _hidden, 10.0.0.1', '10.0.0.1'],
    ['192.0.2.1, nonsense, 10.0.0.1', '10.0.0.1'],
    ['nonsense, 192.0.2.1', '192.0.2.1'],
    ['nonsense', undefined],
    [',', undefined],
    [', 192.0.2.1,,', '192.0.2.1'],
  ])('%s: %s', (value, client) => {
    expect(read([FOR, value])[0]).toBe(client);
    const quoted = value
      .split(',')
      .map((node) => (node.trim() === '' ? '' : `for="${node.trim()}"`));
    expect(read(['Forwarded', quoted.join(',')])[0]).toBe(client);
  });

  test('several lines form one list', () => {
    expect(read([FOR, '192.0.2.9'], ['x-forwarded-for', '192.0.2.1, 10.0.0.1'])[0]).toBe(
      '192.0.2.1',
    );
  });

  test.each([
    ['2001:DB9::1', '2001:db9::1'],
    ['[2001:db9::1]:443', '2001:db9::1'],
    ['192.0.2.1:443', '192.0.2.1'],
    ['::ffff:192.0.2.1', '192.0.2.1'],
    ['192.0.2.1, ::ffff:10.0.0.1', '192.0.2.1'],
    ['fe80::1%eth0', undefined],
  ])('X-Forwarded-For %s: %s', (value, client) => {
    expect(read([FOR, value])[0]).toBe(client);
  });
});

describe('scheme and authority come from the same hop as the address', () => {
  test('Forwarded', () => {
    const field =
      'for=192.0.2.9;proto=http;host=spoofed, for=192.0.2.1;proto=HTTPS;host="a.example:8443", for=10.0.0.1;proto=http;host=inner';
    expect(read(['Forwarded', field])).toEqual(['192.0.2.1', 'https', 'a.example:8443']);
  });

  test('the inner proxy supplies what the outer one omits', () => {
    const field = 'for=192.0.2.1;proto=https, for=10.0.0.1;host=a.example;proto=http';
    expect(read(['Forwarded', field])).toEqual(['192.0.2.1', 'https', 'a.example']);
  });

  test('they apply even without an address', () => {
    expect(read(['Forwarded', 'proto=https;host=a'])).toEqual([undefined, 'https', 'a']);
    expect(read([PROTO, 'https'], [HOST, 'a'])).toEqual([undefined, 'https', 'a']);
  });

  test.each([
    ['as many as addresses: side by side', 'http, https, http', 'https'],
    ['one: the nearest', 'https', 'https'],
    ['others: the last', 'http, https', 'https'],
    ['none', '', undefined],
  ])('X-Forwarded-Proto, %s', (_, value, scheme) => {
    expect(read([FOR, '192.0.2.9, 192.0.2.1, 10.0.0.1'], [PROTO, value])[1]).toBe(scheme);
  });

  test.each([
    ['ftp', 'a b'],
    ['https:', 'a/b'],
    ['', ''],
    ['javascript', 'user@a'],
  ])('%j and %j are invalid and ignored', (scheme, authority) => {
    const none = ['192.0.2.1', undefined, undefined];
    expect(read([FOR, '192.0.2.1'], [PROTO, scheme], [HOST, authority])).toEqual(none);
    const element = `for=192.0.2.1;proto="${scheme}";host="${authority}"`;
    expect(read(['Forwarded', element])).toEqual(none);
  });
});

describe('which fields', () => {
  test('Forwarded before X-Forwarded-*', () => {
    const older: [string, string][] = [
      [FOR, '192.0.2.9'],
      [PROTO, 'http'],
      [HOST, 'b'],
    ];
    expect(read(...older, ['Forwarded', 'for=192.0.2.1'])).toEqual([
      '192.0.2.1',
      undefined,
      undefined,
    ]);
  });

  test.each(['for="', 'for=192.0.2.1:80', 'nonsense'])(
    'a Forwarded that cannot be read, %s, leaves nothing to believe',
    (value) => {
      expect(read(['Forwarded', value], [FOR, '192.0.2.9'])).toEqual([
        undefined,
        undefined,
        undefined,
      ]);
    },
  );

  test('none', () => {
    expect(read(['Host', 'a'])).toEqual([undefined, undefined, undefined]);
  });
});

test('a prefix sent by the client has no effect', () => {
  const member = fc.oneof(
    fc.constantFrom('192.0.2.9', '10.0.0.9', 'unknown', '', '_x', '2001:db8::9', 'for="'),
    fc.stringMatching(/^[ -~]*$/),
  );
  fc.assert(
    fc.property(fc.array(member), (sent) => {
      const value = [...sent, '192.0.2.1', '10.0.0.1'].join(', ');
      expect(read([FOR, value])[0]).toBe('192.0.2.1');
      // The client's own line is joined with the proxy's: it can make the value malformed, but not spoof it.
      const field = `${sent.join(', ')}, for=192.0.2.1`;
      expect(['192.0.2.1', undefined]).toContain(read(['Forwarded', field])[0]);
    }),
  );
});

test('at most 100 trusted proxies are believed', () => {
  const addresses = Array.from({ length: 200 }, (_, at) => `10.0.0.${at}`);
  expect(readForwarding(['X-Forwarded-For', addresses.join(',')], trusts).client).toBe(
    '10.0.0.100',
  );
  const forwarded = addresses.map((address) => `for=${address}`).join();
  expect(readForwarding(['Forwarded', forwarded], trusts).client).toBe('10.0.0.100');
});
