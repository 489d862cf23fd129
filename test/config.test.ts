import { availableParallelism } from 'node:os';
import { describe, expect, test } from 'vitest';
import { helpText, readInvocation } from '../src/command-line.ts';
import { flagOf, settings, SettingsError, variableOf, type Settings } from '../src/config.ts';

type Environment = Record<string, string>;

function read(args: string[], environment: Environment = {}): Settings {
  const invocation = readInvocation(args, environment);
  if (invocation.command !== 'serve') throw new Error(`not serve but ${invocation.command}`);
  return invocation.settings;
}

/** The message for the user. */
function refusal(args: string[], environment: Environment = {}): string {
  try {
    read(args, environment);
  } catch (error) {
    if (error instanceof SettingsError) return error.message;
    throw error;
  }
  throw new Error('it was taken');
}

describe('where a value comes from', () => {
  test('nothing set: the defaults', () => {
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
    });
    expect(read(['serve'])).toEqual(read([]));
  });

  test('the environment beats the default, a flag beats the environment', () => {
    const environment = { WIREBIN_PORT: '81', WIREBIN_METRICS_ENABLED: 'true' };
    expect(read([], environment)).toMatchObject({ port: 81, metricsEnabled: true });
    expect(read(['--port', '82', '--no-metrics-enabled'], environment)).toMatchObject({
      port: 82,
      metricsEnabled: false,
    });
  });

  test('what is set to the default beats the environment all the same', () => {
    expect(read(['--port=8080'], { WIREBIN_PORT: '81' }).port).toBe(8080);
  });

  test('a bad variable that a flag overrides is not looked at', () => {
    expect(read(['--port', '82'], { WIREBIN_PORT: 'x' }).port).toBe(82);
  });

  test('a list has commas between, and white space around them', () => {
    expect(read([]).disable).toEqual([]);
    expect(read(['--disable', '/ip, /delay/{n} ,/metrics']).disable).toEqual([
      '/ip',
      '/delay/{n}',
      '/metrics',
    ]);
  });

  test('domains are compared as browsers write them', () => {
    const domains = (text: string) => read(['--allowed-redirect-domains', text]);
    expect(read([]).allowedRedirectDomains).toEqual([]);
    expect(domains('Example.ORG, b\u00fccher.example,*,[::1]').allowedRedirectDomains).toEqual([
      'example.org',
      'xn--bcher-kva.example',
      '*',
      '[::1]',
    ]);
  });

  test('the last of a repeated flag counts', () => {
    expect(read(['--port', '1', '--port', '2']).port).toBe(2);
  });

  test.each([
    ['true', true],
    ['1', true],
    ['TRUE', true],
    ['false', false],
    ['0', false],
  ])('WIREBIN_LOG_REQUESTS=%s', (text, value) => {
    expect(read([], { WIREBIN_LOG_REQUESTS: text }).logRequests).toBe(value);
  });

  test('as many workers as said, or as the machine runs at once', () => {
    expect(read([]).workers).toBe(1);
    expect(read(['--workers', '3']).workers).toBe(3);
    expect(read(['--workers=auto']).workers).toBe(availableParallelism());
  });

  test.each(Object.keys(settings))('%s has a flag and a variable of one name', (name) => {
    expect(flagOf(name)).toMatch(/^[a-z]+(-[a-z]+)*$/);
    expect(variableOf(name)).toBe(`WIREBIN_${flagOf(name).replaceAll('-', '_').toUpperCase()}`);
  });
});

describe('what is no value', () => {
  const port = "--port (WIREBIN_PORT) cannot be '%'; allowed: a whole number from 0 to 65535";
  test.each(['-1', '65536', '1e3', '0x10', ' 1', '80.5', 'http', '', '99999999999999999999'])(
    "--port='%s' names flag, variable and what is allowed",
    (text) => {
      expect(refusal([`--port=${text}`])).toBe(port.replace('%', text));
      expect(refusal([], { WIREBIN_PORT: text })).toBe(port.replace('%', text));
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
    ['--header-timeout=0', /^--header-timeout .* from 1 to 3600$/],
    ['--log-level=loud', /allowed: fatal, error, warn, info, debug, trace, silent$/],
    ['--tls-cert=a', '--tls-cert and --tls-key go together: give both or neither'],
    ['--tls-key=a', '--tls-cert and --tls-key go together: give both or neither'],
    [
      '--disable=',
      "--disable (WIREBIN_DISABLE) cannot be ''; allowed: not empty, with commas between",
    ],
    ['--disable=/a,,/b', /^--disable \(WIREBIN_DISABLE\) cannot be/],
    ['--disable=/ip,/tea', '--disable (WIREBIN_DISABLE): no endpoint has the path /tea'],
    ['--disable=ip', '--disable (WIREBIN_DISABLE): no endpoint has the path ip'],
    ['--disable=/ip/', '--disable (WIREBIN_DISABLE): no endpoint has the path /ip/'],
    ['--disable=/delay/{x}', /: no endpoint has the path/],
    ...['http://a', 'a:81', 'a/', 'u@a', 'a b', '', 'a,', '*.a'].map(
      (domains): [string, RegExp] => [
        `--allowed-redirect-domains=${domains}`,
        /^--allowed-redirect-domains .* allowed: host names without scheme and port, or \*, with/,
      ],
    ),
  ])('%s', (arg, message) => {
    expect(refusal([arg])).toMatch(message);
  });

  test.each(['maybe', '', 'yes', '2'])("WIREBIN_METRICS_ENABLED='%s'", (text) => {
    expect(refusal([], { WIREBIN_METRICS_ENABLED: text })).toBe(
      `--metrics-enabled (WIREBIN_METRICS_ENABLED) cannot be '${text}'; allowed: true, 1, false or 0`,
    );
  });

  test.each([
    [['--prot', '1'], /--prot/],
    [['-p', '1'], /-p/],
    [['--no-port'], /--no-port/],
    [['--metrics-enabled=maybe'], /--metrics-enabled/],
    [['--port'], /--port \(WIREBIN_PORT\) needs a value; allowed: a whole number/],
    [['--port', '--host', 'x'], /--port \(WIREBIN_PORT\) needs a value; allowed: a whole number/],
    [['--port', '-1'], /--port \(WIREBIN_PORT\) needs a value; allowed: a whole number/],
    [['stop'], 'unknown command stop; try --help'],
    [['serve', 'now', 'please'], 'unexpected argument now please'],
  ])('%j is told in one line', (args, message) => {
    expect(refusal(args)).toMatch(message);
    expect(refusal(args)).not.toContain('\n');
  });
});

describe('help', () => {
  test.each([
    [['--help'], 'help'],
    [['--port', 'x', '--help'], 'help'],
    [['--version'], 'version'],
  ])('%j', (args, command) => {
    expect(readInvocation(args, {})).toEqual({ command });
  });

  test('stands as it stands', async () => {
    await expect(helpText()).toMatchFileSnapshot('config.help.txt');
  });

  test('names every flag, variable and default, in lines a terminal holds', () => {
    const text = helpText();
    for (const [name, { shown }] of Object.entries(settings)) {
      expect(text).toMatch(new RegExp(`^  --${flagOf(name)}\\b`, 'm'));
      expect(text).toMatch(new RegExp(`^ +${variableOf(name)}\\b`, 'm'));
      expect(text).toContain(shown === '' ? '' : `[${shown}]`);
    }
    for (const line of text.split('\n')) expect(line.length).toBeLessThanOrEqual(100);
  });
});
