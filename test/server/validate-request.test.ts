import { describe, expect, test } from 'vitest';
import { validateRequest } from '../../src/server/validate-request.ts';
import { FakeExchange } from '../_exchange.ts';

function hostFault(...hosts: string[]): string | undefined {
  const fields = hosts.flatMap((host) => ['Host', host]);
  return validateRequest(new FakeExchange('/', { fields }))?.code;
}

// First, while no Host has been cached as valid: the cache must not decide.
test('RFC 9112 3.2: an empty Host is rejected before any other', () => {
  expect(hostFault('')).toBe('invalid-host');
});

describe('RFC 9112 3.2: Host', () => {
  test.each([
    [['a'], undefined],
    [['a:80'], undefined],
    [['[::1]:80'], undefined],
    [[], 'invalid-host'],
    [[''], 'invalid-host'],
    [['a b'], 'invalid-host'],
    [['a/b'], 'invalid-host'],
    [['u@a'], 'invalid-host'],
    [['a', 'a'], 'invalid-host'],
    [['a', ''], 'invalid-host'],
    [['a,b'], undefined],
    [['a', 'b'], 'invalid-host'],
    [['a, b'], 'invalid-host'],
  ])('%j is %s, whatever came before', (hosts, code) => {
    for (const before of [[], ['a'], ['a,b'], ['a b'], hosts]) {
      hostFault(...before);
      expect(hostFault(...hosts)).toBe(code);
    }
  });

  test('is optional in HTTP/1.0, but must not be repeated', () => {
    const version = 'HTTP/1.0';
    expect(validateRequest(new FakeExchange('/', { version, fields: [] }))).toBeUndefined();
    const twice = ['Host', 'a', 'Host', 'a'];
    expect(validateRequest(new FakeExchange('/', { version, fields: twice }))?.code).toBe(
      'invalid-host',
    );
  });
});

describe('RFC 9113 8.3.1: :authority and Host', () => {
  test.each([
    [[':authority', 'a:80'], undefined],
    [['host', 'a'], undefined],
    [[':authority', 'a', 'host', 'b'], undefined],
    [[':authority', 'u@a'], 'invalid-host'],
    [[':authority', ''], 'invalid-host'],
    [[':authority', 'a', 'host', 'u@a'], 'invalid-host'],
    [['host', 'a/b'], 'invalid-host'],
    [['host', 'a', 'host', 'a'], 'invalid-host'],
  ])('%j', (fields, code) => {
    const fault = validateRequest(new FakeExchange('/', { version: 'HTTP/2.0', fields }));
    expect(fault?.code).toBe(code);
  });

  test('the detail names the invalid one', () => {
    const fields = [':authority', 'u@evil'];
    expect(validateRequest(new FakeExchange('/', { version: 'HTTP/2.0', fields }))?.message).toBe(
      ':authority: u@evil is not a host with an optional port',
    );
  });
});

describe('RFC 9112 6.1, 6.3: Transfer-Encoding', () => {
  test.each([
    ['chunked', undefined],
    ['Chunked', undefined],
    [', chunked ,', undefined],
    ['gzip, chunked', 'not-implemented'],
    ['chunked, chunked', 'not-implemented'],
    ['chunked, gzip', 'invalid-message'],
    ['identity', 'invalid-message'],
    ['chunked;q=1', 'invalid-message'],
    ['"chunked"', 'invalid-message'],
    ['', 'invalid-message'],
    [',', 'invalid-message'],
  ])('%j is %s', (coding, code) => {
    const fields = ['Host', 'a', 'Transfer-Encoding', coding];
    expect(validateRequest(new FakeExchange('/', { fields }))?.code).toBe(code);
  });
});

test('RFC 9112 6.1: HTTP/1.0 has no Transfer-Encoding', () => {
  const fields = ['Host', 'a', 'Transfer-Encoding', 'chunked'];
  const exchange = new FakeExchange('/', { version: 'HTTP/1.0', fields });
  expect(validateRequest(exchange)?.code).toBe('invalid-message');
});

test.each([
  ['100-continue', undefined],
  ['100-Continue', undefined],
  ['100-continue,, 100-continue', undefined],
  ['', undefined],
  ['200-maybe', 'expectation-failed'],
  ['100-continue, 200-maybe', 'expectation-failed'],
  ['100-continue=1', 'expectation-failed'],
])('RFC 9110 10.1.1: Expect %j is %s', (expectation, code) => {
  const fields = ['Host', 'a', 'Expect', expectation];
  expect(validateRequest(new FakeExchange('/', { fields }))?.code).toBe(code);
});

test.each([
  ['HTTP/1.1', undefined],
  ['HTTP/1.0', undefined],
  ['HTTP/2.0', undefined],
  ['HTTP/0.9', 'version-not-supported'],
  ['HTTP/1.2', 'version-not-supported'],
  ['HTTP/3.0', 'version-not-supported'],
])('RFC 9110 15.6.6: %s is %s', (version, code) => {
  expect(validateRequest(new FakeExchange('/', { version }))?.code).toBe(code);
});
