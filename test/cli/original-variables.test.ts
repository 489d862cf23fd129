import { expect, test } from 'vitest';
import { readInvocation } from '../../src/cli/command-line.ts';

const warningsOf = (args: readonly string[], environment: Record<string, string>) => {
  const invocation = readInvocation(args, environment);
  return invocation.command === 'serve' ? invocation.warnings : undefined;
};

test.each([
  ['go-httpbin', 'PORT', '--port or WIREBIN_PORT'],
  ['go-httpbin', 'HTTPS_CERT_FILE', '--tls-cert or WIREBIN_TLS_CERT'],
  ['go-httpbin', 'MAX_DURATION', '--max-duration or WIREBIN_MAX_DURATION'],
  ['gateway-api', 'HTTP_PORT', '--port or WIREBIN_PORT'],
  ['gateway-api', 'TLS_SERVER_CERT', '--tls-cert or WIREBIN_TLS_CERT'],
  ['gateway-api', 'TLS_SERVER_PRIVKEY', '--tls-key or WIREBIN_TLS_KEY'],
])('%s names the setting to use for %s', (dialect, variable, instead) => {
  const environment = { [variable]: '9000' };
  expect(warningsOf(['--dialect', dialect], environment)).toEqual([
    `the variable ${variable} of ${dialect} is not read; use ${instead}`,
  ]);
  expect(warningsOf([], environment)).toEqual([]);
  expect(warningsOf(['--dialect', 'httpbin'], environment)).toEqual([]);
});

test('not if the setting is given, or the variable is empty', () => {
  const dialect = ['--dialect', 'go-httpbin'];
  expect(warningsOf([...dialect, '--port', '1'], { PORT: '2' })).toEqual([]);
  expect(warningsOf(dialect, { PORT: '2', WIREBIN_PORT: '3' })).toEqual([]);
  expect(warningsOf(dialect, { PORT: '' })).toEqual([]);
});
