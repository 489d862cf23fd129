import { isIPv4 } from 'node:net';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  addressBytes,
  formatAddress,
  canonicalAddress,
  hostPort,
  Networks,
  clientNetwork,
  unmapAddress,
} from '../../src/http/ip-address.ts';

describe('canonical text form', () => {
  test.each([
    ['192.0.2.1', '192.0.2.1'],
    ['2001:DB8:0:0:0:0:0:1', '2001:db8::1'],
    ['2001:db8:0:0:1:0:0:1', '2001:db8::1:0:0:1'],
    ['0:0:0:0:0:0:0:0', '::'],
    ['::FFFF:C000:201', '::ffff:192.0.2.1'],
  ])('%s: %s', (text, form) => {
    expect(canonicalAddress(text)).toBe(form);
  });

  test.each(['', 'host', '192.0.2', '192.0.2.01', '192.0.2.256', '[::1]', 'fe80::1%eth0', '::1::'])(
    '%j is none',
    (text) => {
      expect(canonicalAddress(text)).toBeUndefined();
    },
  );

  test('formats bytes as the canonical address', () => {
    const sizes = fc.constantFrom(4, 16);
    const addresses = sizes.chain((size) => fc.uint8Array({ minLength: size, maxLength: size }));
    fc.assert(
      fc.property(addresses, (bytes) => {
        const text = formatAddress(bytes);
        expect(canonicalAddress(text)).toBe(text);
        expect(addressBytes(text)).toEqual(Buffer.from(bytes));
        expect(isIPv4(text)).toBe(bytes.length === 4);
        const written = Buffer.from(bytes).toString('hex').match(/.{4}/g)?.join(':') ?? '';
        if (bytes.length === 16) expect(canonicalAddress(written)).toBe(text);
        else expect(text.split('.').map(Number)).toEqual([...bytes]);
      }),
    );
  });
});

test.each([
  ['::ffff:192.0.2.1', '192.0.2.1'],
  ['::ffff:0:192.0.2.1', '::ffff:0:192.0.2.1'],
  ['::ffff:1', '::ffff:1'],
  ['192.0.2.1', '192.0.2.1'],
  ['2001:db8::1', '2001:db8::1'],
])('%s is converted to %s', (address, plain) => {
  expect(unmapAddress(address)).toBe(plain);
});

test.each([
  ['192.0.2.1', '192.0.2.1'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:DB8:0:0:1::', '2001:db8:0:0::/64'],
  ['2001:db8::1', '2001:db8:0:0::/64'],
  ['::1', '0:0:0:0::/64'],
  ['1:2:3:4:5:6:192.0.2.1', '1:2:3:4::/64'],
  ['64:ff9b::192.0.2.1', '64:ff9b:0:0::/64'],
  ['::', '0:0:0:0::/64'],
  ['fe80::1%eth0', 'fe80::1%eth0'],
  ['unknown', 'unknown'],
])('the network of the client %s is %s', (address, network) => {
  expect(clientNetwork(address)).toBe(network);
});

test('formats an address and port', () => {
  expect(hostPort('192.0.2.1', 80)).toBe('192.0.2.1:80');
  expect(hostPort('::1', 80)).toBe('[::1]:80');
});

function networks(...ranges: string[]): Networks {
  const made = new Networks();
  for (const range of ranges) expect(made.add(range)).toBe(true);
  return made;
}

function bitsOf(bytes: Uint8Array): string {
  return [...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join('');
}

describe('address ranges', () => {
  test.each([
    ['10.0.0.0/8', '10.255.255.255', true],
    ['10.0.0.0/8', '11.0.0.0', false],
    ['10.1.2.3/8', '10.9.9.9', true],
    ['192.0.2.1', '192.0.2.1', true],
    ['192.0.2.1', '192.0.2.2', false],
    ['192.0.2.0/31', '192.0.2.1', true],
    ['0.0.0.0/0', '203.0.113.9', true],
    ['0.0.0.0/0', '::1', false],
    ['::/0', '2001:db8::1', true],
    ['::/0', '192.0.2.1', false],
    ['2001:db8::/32', '2001:db8:ffff::1', true],
    ['2001:db8::/32', '2001:db9::', false],
    ['2001:DB8::1', '2001:db8:0::1', true],
    ['::1/128', '::1', true],
    ['::1/128', '::2', false],
    ['10.0.0.0/8', 'no address', false],
    ['10.0.0.0/8', '', false],
  ])('%s has %s: %s', (range, address, has) => {
    expect(networks(range).has(address)).toBe(has);
  });

  test('several ranges', () => {
    const several = networks('10.0.0.0/8', '2001:db8::/32', '192.0.2.7');
    expect(
      ['10.1.1.1', '2001:db8::9', '192.0.2.7', '192.0.2.8', '::1'].map((a) => several.has(a)),
    ).toEqual([true, true, true, false, false]);
    expect(new Networks().has('10.1.1.1')).toBe(false);
  });

  test.each([
    '',
    '/8',
    '10.0.0.0/',
    '10.0.0.0/33',
    '10.0.0.0/-1',
    '10.0.0.0/08',
    '10.0.0.0/8/8',
    '10.0.0/8',
    '10.0.0.0/255.0.0.0',
    '2001:db8::/129',
    '2001:db8::/1e1',
    'fe80::1%eth0/64',
    'localhost',
  ])('%j is none', (text) => {
    expect(new Networks().add(text)).toBe(false);
  });

  test('agrees with a comparison of the bits', () => {
    const address = fc.uint8Array({ minLength: 4, maxLength: 4 });
    fc.assert(
      fc.property(
        address,
        address,
        fc.nat({ max: 32 }),
        fc.nat({ max: 32 }),
        (one, other, length, shared) => {
          // Random addresses rarely share a prefix.
          const bits = bitsOf(one).slice(0, shared) + bitsOf(other).slice(shared);
          const near = formatAddress(
            Uint8Array.from(bits.match(/.{8}/g) ?? [], (byte) => parseInt(byte, 2)),
          );
          const same = bitsOf(one).slice(0, length) === bits.slice(0, length);
          expect(networks(`${formatAddress(one)}/${length}`).has(near)).toBe(same);
        },
      ),
    );
  });
});
