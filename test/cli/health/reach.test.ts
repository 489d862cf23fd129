import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { readInvocation } from '../../../src/cli/command-line.ts';
import { reachOf } from '../../../src/cli/health/reach.ts';
import type { Setting } from '../../../src/settings/setting.ts';
import { settings } from '../../../src/settings/settings.ts';

type Environment = Readonly<Record<string, string>>;

/** What the table of settings makes of it, for those settings that a health check follows. */
function served(args: readonly string[], environment: Environment) {
  const invocation = readInvocation(args, environment);
  if (invocation.command !== 'serve') throw new Error('it does not serve');
  const {
    port,
    host,
    transports,
    proxyProtocol,
    pathPrefix,
    clientCert,
    tlsMin,
    tlsMax,
    tlsCiphers,
  } = invocation.settings;
  return {
    port,
    host,
    transports,
    proxyProtocol,
    pathPrefix,
    clientCert,
    tlsMin,
    tlsMax,
    tlsCiphers,
  };
}

function read<T>(setting: Setting<T>, text: string | undefined): T | undefined {
  return text === undefined ? setting.default : setting.read(text);
}

/** The same from the texts of the health check. */
function reached(args: readonly string[], environment: Environment) {
  const reach = reachOf({ args, environment });
  const { transports, proxyProtocol, pathPrefix, clientCert, tlsMin, tlsMax } = settings;
  return {
    ...reach,
    transports: read(transports, reach.transports),
    proxyProtocol: read(proxyProtocol, reach.proxyProtocol),
    pathPrefix: read(pathPrefix, reach.pathPrefix),
    clientCert: read(clientCert, reach.clientCert),
    tlsMin: read(tlsMin, reach.tlsMin),
    tlsMax: read(tlsMax, reach.tlsMax),
  };
}

test.each<[readonly string[], Environment]>([
  [[], {}],
  [['serve', '--tap'], {}],
  [['--port', '9000'], {}],
  [['--port=9000', '--port', '9001'], {}],
  [['-p', '9000'], { WIREBIN_PORT: '1' }],
  [['-p9000', '--hostname-enabled'], {}],
  [['--host', '::1', '--name', 'port'], {}],
  [['--host=127.0.0.1', '--tls-ciphers=ECDHE+AESGCM'], { WIREBIN_HOST: '::' }],
  [['--transports', 'h2, h2c'], {}],
  [['--proxy-protocol=require', '--client-cert', 'request'], {}],
  [['--tls-min', 'TLSv1', '--tls-max=TLSv1.1'], {}],
  [[], { WIREBIN_PORT: '9000', WIREBIN_HOST: '', WIREBIN_TRANSPORTS: 'https/1.1' }],
  [[], { WIREBIN_PORT: 'tcp://10.0.0.1:80' }],
  [['--port', '9000'], { WIREBIN_PORT: 'tcp://10.0.0.1:80', WIREBIN_CLIENT_CERT: 'require' }],
  [[], { WIREBIN_PROXY_PROTOCOL: 'optional', WIREBIN_TLS_MIN: 'TLSv1.3' }],
])('%j and %j are read as the service reads them', (args, environment) => {
  expect(reached(args, environment)).toEqual(served(args, environment));
});

test.each(['health', 'reach', 'request', 'running'])(
  '%s.ts loads nothing from elsewhere at once: a health check is to cost little',
  (name) => {
    const source = new URL(`../../../src/cli/health/${name}.ts`, import.meta.url);
    const loaded = readFileSync(source, 'utf8').matchAll(/^import (?!type ).*?from '(.*)';$/gms);
    const paths = Array.from(loaded, ([, path = '']) => path);
    expect(paths.filter((path) => !/^node:(?!tls|http)|^\.\/(?!tls)/.test(path))).toEqual([]);
  },
);
