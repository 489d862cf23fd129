import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { until } from './_adapters.ts';
import { overBothProtocols } from './_everywhere.ts';
import * as h2 from './_frames.ts';
import { openClient, type Client, type Sent } from './_client.ts';
import { exchange, openSocket } from './_raw.ts';
import { endpoints, quickTarget } from './_walk.ts';
import { readInvocation } from '../src/cli/command-line.ts';
import { startupWarnings } from '../src/cli/warnings.ts';
import { makeCredentials } from '../src/net/certificates.ts';
import { HAS_MODES } from './_system.ts';

const SECRET = 'Hunter2';
const FIELDS = {
  authorization: `Bearer ${SECRET}`,
  cookie: `session=${SECRET}`,
  'proxy-authorization': `Basic ${SECRET}`,
  'x-api-key': SECRET,
  referer: `https://example.com/?token=${SECRET}`,
  'if-none-match': `"${SECRET}"`,
};

/** Paths that are made of secrets, and some that are nearly the same. */
const SECRET_PATHS = [
  `/basic-auth/user/${SECRET}`,
  `/hidden-basic-auth/user/${SECRET}`,
  `/digest-auth/auth/user/${SECRET}`,
  `/digest-auth/auth/user/${SECRET}/MD5`,
  `/digest-auth/auth/user/${SECRET}/MD5/1`,
  `/cookies/set/session/${SECRET}`,
  `/basic-auth/user/${SECRET}/nowhere`,
  `/Basic-Auth/user/${SECRET}`,
  `/basic%2Dauth/user/${SECRET}`,
];

/** What is wrong with each, behind the secrets that it has. */
const BROKEN = [
  `GET /anything?token=${SECRET} HTTP/1.1\r\nX-Key: ${SECRET}\r\nHost: ${SECRET}\r\n\r\n`.replace(
    'Host',
    'Ho st',
  ),
  `GET /anything?token=${SECRET} HTTP/7.7\r\nX-Key: ${SECRET}\r\n\r\n`,
  `GET /anything?token=${SECRET} HTTP/1.1\r\nHost: a, ${SECRET}\r\nHost: b\r\n\r\n`,
  `GET /#${SECRET} HTTP/1.1\r\nHost: a\r\n\r\n`,
  `POST /anything HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n${SECRET}\r\n`,
  `POST /anything HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: ${SECRET}\r\n\r\n`,
  `${SECRET}( / HTTP/1.1\r\n\r\n`,
  `CONNECT ${SECRET}:443 HTTP/1.1\r\nHost: ${SECRET}:443\r\n\r\n`,
];

/** A fault may end the request with an error, or the client may not notice it. */
async function outlive(
  client: Client,
  target: string,
  sent: Sent,
  logged: readonly Record<string, unknown>[],
): Promise<void> {
  const done = (): number => logged.filter(({ msg }) => msg === 'response started').length;
  const before = done();
  const response = client.request(target, sent).catch(() => undefined);
  await Promise.race([response, until(() => done() > before)]);
  client.close();
}

overBothProtocols(
  ({ transport, client, running }) => {
    test('no log line and no metric has a query, a field or content of a request', async () => {
      const { port, logged } = running();
      const secret = { headers: FIELDS, body: `password=${SECRET}` };
      for (const endpoint of endpoints) {
        const mark = quickTarget(endpoint).includes('?') ? '&' : '?';
        const target = `${quickTarget(endpoint)}${mark}token=${SECRET}`;
        for (const sent of [{ headers: FIELDS }, { ...secret, method: 'POST' }]) {
          if (endpoint.group !== 'faults') await client().request(target, sent);
          else await outlive(openClient(transport, port), target, sent, logged);
        }
      }
      const tls = transport.startsWith('https') || transport === 'h2';
      for (const target of SECRET_PATHS) await client().request(target);
      if (transport.endsWith('1.1')) {
        const alpn = tls ? ['http/1.1'] : undefined;
        for (const bytes of BROKEN) await exchange(port, bytes, alpn);
      } else {
        const session = new h2.FrameClient(await openSocket(port, tls ? ['h2'] : undefined));
        session.send(
          h2.get(1, `/anything?token=${SECRET}`, ['x-key', SECRET], ['Upper', SECRET]),
          h2.frame(h2.DATA, 0, 1, Buffer.from(SECRET)),
        );
        const answered = (): boolean => session.isDone(1) || session.reset(1) !== undefined;
        await until(() => answered() || session.ended);
        session.socket.destroy();
      }
      await until(() => logged.filter(({ msg }) => msg === 'request').length >= endpoints.length);
      const metrics = await client().request('/metrics', { headers: { accept: 'text/plain' } });
      expect(metrics.body.toString()).not.toContain(SECRET);
      expect(logged.length).toBeGreaterThan(2 * endpoints.length);
      expect(logged.filter((line) => JSON.stringify(line).includes(SECRET))).toEqual([]);
    });
  },
  '--metrics-enabled',
  '--log-requests',
  '--log-level',
  'trace',
);

test.runIf(HAS_MODES).each([
  [0o644, true],
  [0o640, false],
  [0o600, false],
])('a private key of mode %o is warned of: %s', async (mode, warned) => {
  const directory = await mkdtemp(join(tmpdir(), 'wirebin-key-'));
  const [certFile, keyFile] = [join(directory, 'a.crt'), join(directory, 'a.key')];
  const { cert, key } = await makeCredentials(Date.now());
  await writeFile(certFile, cert);
  await writeFile(keyFile, key);
  await chmod(keyFile, mode);
  const invocation = readInvocation(['--tls-cert', certFile, '--tls-key', keyFile], {});
  if (invocation.command !== 'serve') throw new Error('no service');
  const now = Date.parse('2026-11-01');
  expect(await startupWarnings(invocation.settings, '24.21.0', now)).toEqual(
    warned ? [`the private key ${keyFile} is readable by every user of this machine`] : [],
  );
  await rm(directory, { recursive: true });
});
