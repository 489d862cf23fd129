import { expect, test } from 'vitest';
import { readInvocation } from '../../src/cli/command-line.ts';
import { FLAGS } from '../../src/settings/settings.ts';
import type { ServiceOptions } from '../../src/settings/options.ts';
import { readOptions } from '../../src/settings/read-options.ts';
import { SettingsError } from '../../src/settings/settings-error.ts';

/** Options without type checking, as in JavaScript. */
const untyped = (options: Record<string, unknown>) => options as ServiceOptions;

function errorOf(options: Record<string, unknown>): SettingsError {
  try {
    readOptions(untyped(options), {});
  } catch (error) {
    if (error instanceof SettingsError) return error;
    throw error;
  }
  throw new Error('the options were accepted');
}

function fromCommandLine(...args: string[]): unknown {
  const invocation = readInvocation(args, {});
  return invocation.command === 'serve' && invocation.settings;
}

test('the defaults are those of the command line, but with a free port of 127.0.0.1', () => {
  expect(readOptions({}, {})).toEqual(fromCommandLine('--port=0', '--host=127.0.0.1'));
});

test('numbers, booleans, words, lists and strings with units', () => {
  const options = {
    port: 8081,
    host: '::',
    tap: true,
    connHeaders: false,
    lean: false,
    clientCert: 'request',
    disable: ['/ip', '/delay'],
    allowedRedirectDomains: [],
    trustProxy: ['10.0.0.0/8', '::1'],
    maxBodySize: '64K',
    idleTimeout: '1m30s',
    requestTimeout: 2,
    drainDelay: undefined,
  } as const;
  const args = '--port 8081 --host :: --tap --client-cert request --disable /ip,/delay';
  const more = '--trust-proxy 10.0.0.0/8,::1 --max-body-size 65536 --idle-timeout 90';
  const expected = fromCommandLine(...`${args} ${more} --request-timeout 2`.split(' '));
  expect(readOptions(options, {})).toEqual(expected);
});

test('the environment is only used for the variables that envPrefix exposes', () => {
  const environment = { WIREBIN_TAP: 'true', NAMESPACE: 'n', SSLKEYLOGFILE: 'f', MY_NAME: 'x' };
  expect(readOptions({}, environment)).toEqual(readOptions({}, {}));
  expect(readOptions({ envPrefix: 'MY_' }, environment).environment).toEqual({ MY_NAME: 'x' });
});

const INVALID: [setting: string, options: Record<string, unknown>, message: string][] = [
  ['port', { port: 70_000 }, "port cannot be '70000'; allowed: a whole number from 0 to 65535"],
  ['port', { port: Number.NaN }, "port cannot be 'NaN'; allowed: a whole number from 0 to 65535"],
  ['port', { port: null }, 'port cannot be null; allowed: a whole number from 0 to 65535'],
  ['tap', { tap: { on: true } }, 'tap cannot be { on: true }; allowed: true, yes, on, 1, '],
  ['disable', { disable: [1] }, 'disable cannot be [ 1 ]; allowed: a comma-separated list'],
  ['disable', { disable: ['/nope'] }, 'disable: no endpoint has the path /nope'],
  ['host', { host: '' }, "host cannot be ''; allowed: not empty"],
  ['maxBodySize', { maxBodySize: '2T' }, "maxBodySize cannot be '2T'; allowed: from 0 to 16M, "],
  ['dialect', { dialect: 'x' }, "dialect cannot be 'x'; allowed: wirebin, httpbin, go-httpbin, "],
  ['tlsCert', { tlsKey: 'f' }, 'tlsCert and tlsKey must be given together'],
  ['tlsKey', { tlsCert: 'f' }, 'tlsCert and tlsKey must be given together'],
  [
    'tlsMin',
    { tlsMin: 'TLSv1.3', tlsMax: 'TLSv1.2' },
    'tlsMin TLSv1.3 is higher than tlsMax TLSv1.2',
  ],
  ['tlsCa', { tlsCa: 'f' }, 'tlsCa requires clientCert request or require'],
  ['tapSecrets', { tapSecrets: true }, 'tapSecrets requires tap'],
  ['maxbodysize', { maxbodysize: 1 }, 'unknown option maxbodysize; did you mean maxBodySize?'],
  ['xyz', { xyz: undefined }, 'unknown option xyz'],
  ['workers', { workers: 2 }, 'unknown option workers'],
  ['logLevel', { logLevel: 'info' }, 'unknown option logLevel'],
  ['logger', { logger: true }, 'logger has no method error'],
  ['logger', { logger: { error() {}, warn() {}, info() {} } }, 'logger has no method debug'],
];

test.each(INVALID)('an invalid %s is named: %j', (setting, options, message) => {
  const error = errorOf(options);
  expect(error).toMatchObject({ name: 'SettingsError', setting });
  expect(error.message.slice(0, message.length)).toBe(message);
});

test('the messages are those of the command line, with other names', () => {
  const { message } = errorOf({ idleTimeout: '0s' });
  expect(() => readInvocation(['--idle-timeout=0s'], {})).toThrow(
    message.replace('idleTimeout', FLAGS.full('idleTimeout')),
  );
});
