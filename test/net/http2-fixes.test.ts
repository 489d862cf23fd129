import { expect, test } from 'vitest';
import { hasHttp2Fixes } from '../../src/net/http2-fixes.ts';

test.each([
  ['20.19.0', false],
  ['20.20.2', false],
  ['22.9.9', false],
  ['22.23.1', false],
  ['22.23.2', true],
  ['22.24.0', true],
  ['23.99.0', false],
  ['24.18.0', false],
  ['24.18.1', true],
  ['25.99.0', false],
  ['26.5.0', false],
  ['26.5.1', true],
  ['26.10.0', true],
  ['27.0.0-nightly20261101', true],
  ['99.0.0', true],
])('%s has the fixes: %s', (version, expected) => {
  expect(hasHttp2Fixes(version)).toBe(expected);
});
