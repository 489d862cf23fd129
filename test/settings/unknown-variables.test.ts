import { expect, test } from 'vitest';
import { readCheckOptions } from '../../src/check/options.ts';
import { readInvocation } from '../../src/cli/command-line.ts';

const warningsOf = (environment: Record<string, string>) => {
  const invocation = readInvocation([], environment);
  return invocation.command === 'serve' ? invocation.warnings : undefined;
};

test.each([
  ['WIREBIN_PROT', 'did you mean WIREBIN_PORT?'],
  ['WIREBIN_MAX_BODYSIZE', 'did you mean WIREBIN_MAX_BODY_SIZE?'],
  ['WIREBIN_LOG', 'did you mean WIREBIN_LOG_LEVEL?'],
  ['WIREBIN_IMAGE_OF_MINE', 'see --help'],
])('%s is named: %s', (name, hint) => {
  expect(warningsOf({ [name]: '9000' })).toEqual([
    `the variable ${name} is unknown, and ignored; ${hint}`,
  ]);
});

test('check names those that look like its own, which serve leaves to it', () => {
  const environment = { WIREBIN_CHECK_RAET: '5', WIREBIN_CHECK_RATE: '6', WIREBIN_PROT: '9000' };
  expect(readCheckOptions([], environment).warnings).toEqual([
    'the variable WIREBIN_CHECK_RAET is unknown, and ignored; did you mean WIREBIN_CHECK_RATE?',
  ]);
  expect(warningsOf({ WIREBIN_CHECK_RAET: '5', WIREBIN_BENCH_RATE: '6' })).toEqual([]);
});

// What kubelet sets for the Services wirebin and wirebin-b, each with two ports.
test('the variables that Kubernetes sets for Services are no mistakes', () => {
  const suffixes: Readonly<Record<string, string>> = {
    SERVICE_HOST: '10.0.0.1',
    SERVICE_PORT: '80',
    SERVICE_PORT_HTTP: '80',
    SERVICE_PORT_HTTP_ALT: '8080',
    PORT: 'tcp://10.0.0.1:80',
    PORT_80_TCP: 'tcp://10.0.0.1:80',
    PORT_80_TCP_PROTO: 'tcp',
    PORT_80_TCP_PORT: '80',
    PORT_8080_UDP_ADDR: '10.0.0.1',
  };
  const services = ['WIREBIN', 'WIREBIN_B', 'WIREBIN_CHECK'];
  const all: Record<string, string> = Object.fromEntries(
    services.flatMap((service) =>
      Object.entries(suffixes).map(([suffix, value]) => [`${service}_${suffix}`, value]),
    ),
  );
  const { WIREBIN_PORT: _, ...others } = all;
  expect(warningsOf(others)).toEqual([]);
  expect(readCheckOptions([], others).warnings).toEqual([]);
  expect(warningsOf(all)).toEqual([expect.stringContaining('WIREBIN_PORT=tcp://')]);
});

test.each([
  [{ npm_config_port: '9000' }, '--port'],
  [{ npm_config_no_tap: 'true', npm_config_max_body_size: '1M' }, '--no-tap --max-body-size'],
  [{ npm_config_tap: '' }, '--tap'],
  [{ npm_config_p9000: 'true' }, '-p9000'],
])('options that npm start has taken are named: %j', (taken, options) => {
  expect(warningsOf({ ...taken, npm_lifecycle_event: 'start' })).toEqual([
    expect.stringMatching(
      new RegExp(`^npm has taken ${options} for itself, .*: npm start -- -p 9000$`),
    ),
  ]);
  expect(warningsOf(taken)).toEqual([]);
});

test.each([[['9000']], [['serve', '9000']]])(
  'what is left of `npm start -p 9000` is refused with the way to write it: %j',
  (args) => {
    const environment = { npm_lifecycle_event: 'start', npm_config_parseable: 'true' };
    expect(() => readInvocation(args, environment, 'npm start --')).toThrow(
      'did you mean npm start -- --port 9000?',
    );
  },
);
