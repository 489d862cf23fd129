import { expect, test } from 'vitest';
import { SettingsError } from '../../src/settings/settings-error.ts';
import { readSettings as read } from '../_settings.ts';

test('by default PROXY headers are off and no proxy is trusted', () => {
  expect(read([])).toMatchObject({ proxyProtocol: 'off', trustProxy: undefined });
});

test('ranges of both address families, and single addresses', () => {
  const { trustProxy } = read([], { WIREBIN_TRUST_PROXY: '10.0.0.0/8, 2001:db8::/32,192.0.2.1' });
  const addresses = ['10.1.2.3', '2001:db8::1', '192.0.2.1', '192.0.2.2', '127.0.0.1', '::1'];
  const trusted = addresses.filter((address) => trustProxy?.has(address));
  expect(trusted).toEqual(['10.1.2.3', '2001:db8::1', '192.0.2.1']);
});

test.each([
  [
    ['--proxy-protocol', 'v2'],
    /--proxy-protocol \(WIREBIN_PROXY_PROTOCOL\).*off, optional, require/,
  ],
  [['--trust-proxy', '10.0.0.0/8,'], /--trust-proxy \(WIREBIN_TRUST_PROXY\).*10\.0\.0\.0\/8,2001/],
  [['--trust-proxy', ''], /--trust-proxy/],
  [['--trust-proxy', 'loopback'], /--trust-proxy/],
  [['--trust-proxy', '10.0.0.0/33'], /--trust-proxy/],
])('%j is rejected', (args, message) => {
  expect(() => read(args)).toThrow(SettingsError);
  expect(() => read(args)).toThrow(message);
});
