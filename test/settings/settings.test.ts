import { availableParallelism } from 'node:os';
import { describe, expect, test } from 'vitest';
import { readInvocation } from '../../src/cli/command-line.ts';
import { flagOf, settings, variableOf } from '../../src/settings/settings.ts';
import { SettingsError } from '../../src/settings/settings-error.ts';
import { helpText } from '../../src/cli/help.ts';
import { limitsOf } from '../../src/service/limits.ts';
import type { Setting } from '../../src/settings/setting.ts';
import { readSettings as read } from '../_settings.ts';

type Environment = Record<string, string>;

/** The error message for the user. */
function errorMessage(args: string[], environment: Environment = {}): string {
  try {
    read(args, environment);
  } catch (error) {
    if (error instanceof SettingsError) return error.message;
    throw error;
  }
  throw new Error('the arguments were accepted');
}

test.each([
  [[], 'node'],
  [['--lean'], 'wirebin'],
  [['--lean', '--h2-engine=node'], 'node'],
  [['--h2-engine=wirebin'], 'wirebin'],
])('%s: HTTP/2 is served by %s', (args, engine) => {
  expect(read(args).h2Engine).toBe(engine);
});

describe('the source of a value', () => {
  test('defaults if nothing is set', () => {
    expect(read([])).toMatchObject({
      port: 8080,
      host: undefined,
      metricsEnabled: false,
      maxBodySize: 2 * 1024 * 1024,
      maxContentMemory: 512,
      headerTimeout: 10,
      idleTimeout: 75,
      stallTimeout: 60,
      drainDelay: 0,
      drainTimeout: 10,
      logLevel: 'info',
      logRequests: false,
      logFormat: 'json',
    });
    expect(read(['serve'])).toEqual(read([]));
  });

  test('variables override defaults, flags override variables', () => {
    const environment = { WIREBIN_PORT: '81', WIREBIN_METRICS_ENABLED: 'true' };
    expect(read([], environment)).toMatchObject({ port: 81, metricsEnabled: true });
    expect(read(['--port', '82', '--no-metrics-enabled'], environment)).toMatchObject({
      port: 82,
      metricsEnabled: false,
    });
  });

  test.each(['tcp://10.0.0.1:80', 'udp://[fd00::1]:53'])(
    'the address that Kubernetes puts in WIREBIN_PORT for a Service is ignored: %s',
    (address) => {
      const environment = { WIREBIN_PORT: address };
      expect(readInvocation([], environment)).toMatchObject({
        settings: { port: 8080 },
        warnings: [
          `WIREBIN_PORT=${address} is ignored: Kubernetes sets it for a Service named wirebin; set --port, or enableServiceLinks to false`,
        ],
      });
      expect(readInvocation(['-p', '81'], environment)).toMatchObject({
        settings: { port: 81 },
        warnings: [],
      });
      expect(errorMessage([], { WIREBIN_TLS_MIN: address })).toContain('cannot be');
      expect(errorMessage(['-p', address])).toContain('cannot be');
    },
  );

  test('a flag with the default value overrides a variable', () => {
    expect(read(['--port=8080'], { WIREBIN_PORT: '81' }).port).toBe(8080);
  });

  test('an invalid variable is ignored if a flag overrides it', () => {
    expect(read(['--port', '82'], { WIREBIN_PORT: 'x' }).port).toBe(82);
  });

  test('lists are comma-separated, with optional white space', () => {
    expect(read([]).disable).toEqual([]);
    expect(read(['--disable', '/ip, /delay/{n} ,/metrics']).disable).toEqual([
      '/ip',
      '/delay/{n}',
      '/metrics',
    ]);
  });

  test('domains are normalized like URL host names', () => {
    expect(read([]).allowedRedirectDomains).toEqual([]);
    const domains = 'Example.ORG, b\u00fccher.example,*,[::1]';
    expect(read(['--allowed-redirect-domains', domains]).allowedRedirectDomains).toEqual([
      'example.org',
      'xn--bcher-kva.example',
      '*',
      '[::1]',
    ]);
  });

  test('the last one of a repeated flag wins', () => {
    expect(read(['--port', '1', '--port', '2']).port).toBe(2);
  });

  test.each([
    ['true', true],
    ['1', true],
    ['TRUE', true],
    ['yes', true],
    ['On', true],
    ['false', false],
    ['0', false],
    ['no', false],
    ['off', false],
    ['', false],
  ])('WIREBIN_LOG_REQUESTS=%s', (text, value) => {
    expect(read([], { WIREBIN_LOG_REQUESTS: text }).logRequests).toBe(value);
    if (text !== '') expect(read([`--log-requests=${text}`]).logRequests).toBe(value);
  });

  test('an empty variable counts as unset', () => {
    const names = Object.keys(settings).map(variableOf);
    const environment = Object.fromEntries(names.map((name) => [name, '']));
    expect(read([], environment)).toEqual(read([]));
    expect(read([], { ...environment, SSLKEYLOGFILE: 'keys' }).tlsKeylog).toBe('keys');
  });

  test.each([
    [['-p', '82'], 82],
    [['-p82'], 82],
    [['--port=81', '-p', '82'], 82],
  ])('%j sets the port %d', (args, port) => {
    expect(read(args).port).toBe(port);
  });

  test.each([
    ['--max-body-size', '0', { maxBodySize: 0 }],
    ['--max-body-size', '65536', { maxBodySize: 65_536 }],
    ['--max-body-size', '10M', { maxBodySize: 10 * 1024 ** 2 }],
    ['--max-body-size', '16m', { maxBodySize: 16 * 1024 ** 2 }],
    ['--max-header-size', '64k', { maxHeaderSize: 65_536 }],
    ['--max-content-memory', '64', { maxContentMemory: 64 }],
    ['--max-content-memory', '1G', { maxContentMemory: 1073.741824 }],
    ['--max-session-memory', '64M', { maxSessionMemory: 67.108864 }],
    ['--idle-timeout', '90', { idleTimeout: 90 }],
    ['--idle-timeout', '90s', { idleTimeout: 90 }],
    ['--idle-timeout', '1m30s', { idleTimeout: 90 }],
    ['--idle-timeout', '2h', { idleTimeout: 7200 }],
    ['--drain-delay', '250ms', { drainDelay: 0.25 }],
    ['--max-duration', '1.5m', { maxDuration: 90 }],
  ])('%s %s', (flag, text, values) => {
    expect(read([flag, text])).toMatchObject(values);
  });

  test('limits are in whole milliseconds and whole MB', () => {
    const { headerTimeout, maxSessionMemory } = limitsOf(
      read(['--header-timeout', '1.001s', '--max-session-memory', '64M']),
    );
    expect([headerTimeout, maxSessionMemory]).toEqual([1001, 67]);
  });

  test('--workers is a number or auto', () => {
    expect(read([]).workers).toBe(1);
    expect(read(['--workers', '3']).workers).toBe(3);
    expect(read(['--workers=auto']).workers).toBe(availableParallelism());
  });

  test.each(Object.keys(settings))('%s has a flag and a variable with the same name', (name) => {
    expect(flagOf(name)).toMatch(/^[a-z][a-z\d]*(-[a-z]+)*$/);
    expect(variableOf(name)).toBe(`WIREBIN_${flagOf(name).replaceAll('-', '_').toUpperCase()}`);
  });
});

describe('invalid values', () => {
  const port = "--port (WIREBIN_PORT) cannot be '%'; allowed: a whole number from 0 to 65535";
  test.each(['-1', '65536', '1e3', '0x10', ' 1', '80.5', 'http', '9K', '99999999999999999999'])(
    "--port='%s': the message names flag, variable and allowed values",
    (text) => {
      expect(errorMessage([`--port=${text}`])).toBe(port.replace('%', text));
      expect(errorMessage(['--port', text])).toBe(port.replace('%', text));
      expect(errorMessage(['-p', text])).toBe(port.replace('%', text));
      expect(errorMessage([], { WIREBIN_PORT: text })).toBe(port.replace('%', text));
    },
  );

  test.each([
    [
      '--workers=0',
      "--workers (WIREBIN_WORKERS) cannot be '0'; allowed: a whole number from 1 to 256, or auto",
    ],
    ['--workers=257', /^--workers /],
    ['--workers=all', /^--workers /],
    ['--host=', "--host (WIREBIN_HOST) cannot be ''; allowed: not empty"],
    [
      '--header-timeout=0',
      "--header-timeout (WIREBIN_HEADER_TIMEOUT) cannot be '0'; allowed: from 1s to 1h, in seconds or with units (h, m, s, ms)",
    ],
    ...['999ms', '61m', '5x', 's', '1.5', '1d', '-5s', '+5s', '1 s', '5S', 'Infinitys'].map(
      (text): [string, RegExp] => [
        `--header-timeout=${text}`,
        /^--header-timeout .* from 1s to 1h/,
      ],
    ),
    [
      '--max-target-size=63',
      "--max-target-size (WIREBIN_MAX_TARGET_SIZE) cannot be '63'; allowed: from 64 to 1M, in bytes or with K, M or G (1024-based)",
    ],
    ...['2M', '1.5K', '64KB', 'K', '-1K', '1e3', '1 K', '99999999999999999999G'].map(
      (text): [string, RegExp] => [`--max-target-size=${text}`, /^--max-target-size .* from 64 to/],
    ),
    ['--max-content-memory=7M', /from 8 to 1048576, in MB or with K, M or G \(1024-based\)$/],
    ['--log-level=loud', /allowed: fatal, error, warn, info, debug, trace, silent$/],
    ['--tls-cert=a', '--tls-cert and --tls-key must be given together'],
    ['--tls-key=a', '--tls-cert and --tls-key must be given together'],
    [
      '--disable=',
      "--disable (WIREBIN_DISABLE) cannot be ''; allowed: a comma-separated list, not empty",
    ],
    ['--disable=/a,,/b', /^--disable \(WIREBIN_DISABLE\) cannot be/],
    ['--disable=/ip,/tea', '--disable (WIREBIN_DISABLE): no endpoint has the path /tea'],
    ['--disable=ip', '--disable (WIREBIN_DISABLE): no endpoint has the path ip'],
    ['--disable=/ip/', '--disable (WIREBIN_DISABLE): no endpoint has the path /ip/'],
    ['--disable=/delay/{x}', /: no endpoint has the path/],
    ...['http://a', 'a:81', 'a/', 'u@a', 'a b', '', 'a,', '*.a'].map(
      (domains): [string, RegExp] => [
        `--allowed-redirect-domains=${domains}`,
        /^--allowed-redirect-domains .* allowed: comma-separated host names without scheme and port, or/,
      ],
    ),
    ...['a', 'a:81', 'http://a/', 'http://A', 'http://a:80', 'null', '', '*.a'].map(
      (origins): [string, RegExp] => [
        `--allow-origin=${origins}`,
        /^--allow-origin .* allowed: comma-separated origins such as/,
      ],
    ),
    ...['', '/', 'api', '//a', '/a//', '/a/../b', '/a b', '/a?b', '/a#b', '/ä'].map(
      (path): [string, RegExp] => [
        `--path-prefix=${path}`,
        /^--path-prefix .* allowed: a path such as \/api, percent-encoded/,
      ],
    ),
  ])('%s', (arg, message) => {
    expect(errorMessage([arg])).toMatch(message);
  });

  test.each(['maybe', 'y', '2', ' '])("WIREBIN_METRICS_ENABLED='%s'", (text) => {
    const message = `--metrics-enabled (WIREBIN_METRICS_ENABLED) cannot be '${text}'; allowed: true, yes, on, 1, false, no, off, 0`;
    expect(errorMessage([], { WIREBIN_METRICS_ENABLED: text })).toBe(message);
    expect(errorMessage([`--metrics-enabled=${text}`])).toBe(message);
  });

  test.each([
    [['--prot', '1'], 'unknown option --prot; did you mean --port?'],
    [['--Port=1'], 'unknown option --Port; did you mean --port?'],
    [['-port', '1'], 'unknown option -port; did you mean --port?'],
    [['-no-tap'], 'unknown option -no-tap; did you mean --no-tap?'],
    [['--metrics'], 'unknown option --metrics; did you mean --metrics-enabled?'],
    [['--max_body_size=1'], 'unknown option --max_body_size; did you mean --max-body-size?'],
    [['--no-port'], 'unknown option --no-port; see --help'],
    [['--elephants'], 'unknown option --elephants; see --help'],
    [['-x'], 'unknown option -x; see --help'],
    [[`--${'x'.repeat(100_000)}`], /^unknown option --x+; see --help$/],
    [['--no-tap=yes'], '--no-tap takes no value'],
    [['--port'], /--port \(WIREBIN_PORT\) requires a value; allowed: a whole number/],
    [
      ['--port', '--host', 'x'],
      /--port \(WIREBIN_PORT\) requires a value; allowed: a whole number/,
    ],
    [['-p'], /--port \(WIREBIN_PORT\) requires a value; allowed: a whole number/],
    [['stop'], 'unknown command stop; see --help'],
    [['serve', 'now', 'please'], 'unexpected argument now please'],
  ])('%j gives a one-line message', (args, message) => {
    expect(errorMessage(args)).toMatch(message);
    expect(errorMessage(args)).not.toContain('\n');
  });
});

describe('help', () => {
  test.each([
    [['--help'], 'help'],
    [['--port', 'x', '--help'], 'help'],
    [['--odd', '-h'], 'help'],
    [['--version', '-h'], 'help'],
    [['--version'], 'version'],
    [['-v'], 'version'],
  ])('%j', (args, command) => {
    expect(readInvocation(args, {})).toEqual({ command });
  });

  test('matches the snapshot', async () => {
    await expect(helpText()).toMatchFileSnapshot('config.help.txt');
  });

  test('has every flag, variable and default, in lines of at most 100 characters', () => {
    const text = helpText();
    for (const [name, { defaultText }] of Object.entries(settings)) {
      expect(text).toMatch(new RegExp(`^  (?:-\\w,)? *--${flagOf(name)}\\b`, 'm'));
      expect(text).toMatch(new RegExp(`^ +${variableOf(name)}\\b`, 'm'));
      expect(text).toContain(defaultText === '' ? '' : `[${defaultText}]`);
    }
    for (const line of text.split('\n')) expect(line.length).toBeLessThanOrEqual(100);
  });

  const worded = Object.entries<Setting<unknown>>(settings).filter(
    ([, { value }]) => value === 'WORD',
  );
  test.each(worded)('lists the words of %s with a valid example', (name, setting) => {
    const { words = [], example = '' } = setting.choices ?? {};
    expect(words.length).toBeGreaterThan(1);
    expect(words.map((word) => setting.read(word))).toEqual(words);
    const flag = `--${flagOf(name)}`;
    // The example is on a line of its own if the words leave no room for it.
    const text = helpText().replace(/;\n +e\.g\./g, '; e.g.');
    expect(text).toContain(` ${words.join(', ')}; e.g. ${flag} ${example}\n`);
    expect(setting.read(example)).toBe(example);
  });

  test('has a valid example', () => {
    const [, example = ''] = /^ {2}wirebin (.*)$/m.exec(helpText()) ?? [];
    expect(read(example.split(' '))).toMatchObject({ port: 9000, idleTimeout: 90 });
  });
});
