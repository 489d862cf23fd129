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
