import { expect, test } from 'vitest';
import { echoSchema, type Echo } from '../src/echo/echo-schema.ts';
import { guard } from '../src/server/schema.ts';
import type { Received } from './_client.ts';
import { overBothProtocols } from './_everywhere.ts';
import { INSPECTED } from './_inspected.ts';

const isEcho = guard<Echo>(echoSchema);

/** The echo that a response has as content. */
export function echoOf(content: string | Buffer): Echo {
  const echo: unknown = JSON.parse(content.toString());
  if (!isEcho(echo)) throw new Error(`no echo: ${content.toString()}`);
  return echo;
}

export function parsed({ body }: Received): Record<string, unknown> {
  return JSON.parse(body.toString()) as Record<string, unknown>;
}

/** What decisions.md 3 has, in its order; `tls` and `connection` follow where there is reason. */
export const ECHO_FIELDS = [
  'method',
  'http_version',
  'url',
  'path',
  'query',
  'args',
  'headers',
  'raw_headers',
  'origin',
  'body',
  'body_encoding',
  'data',
  'form',
  'files',
  'json',
  'timing',
  'process',
  'conn',
];

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];

/** The tests of an endpoint that echoes one method. */
export function echoesOnly(method: string, path: string): void {
  overBothProtocols(({ client, transport }) => {
    test(`${method} is echoed`, async () => {
      // Content with any method is the matter of test/fidelity.test.ts: these clients send none.
      const content = method !== 'GET' && method !== 'DELETE';
      const received = await client().request(`${path}?a=1&connection=CLOSE`, {
        method,
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        ...(content && { body: 'b=2' }),
      });
      expect(received.status).toBe(200);
      expect(received.headers['content-type']).toBe('application/json');
      const view = echoOf(received.body);
      const secure = transport === 'h2' || transport === 'https/1.1';
      const multiplexed = transport === 'h2' || transport === 'h2c';
      expect(Object.keys(view)).toEqual([
        ...ECHO_FIELDS,
        ...(secure ? ['tls'] : []),
        ...(multiplexed ? ['http2'] : []),
        ...(INSPECTED ? ['wire'] : []),
        'connection',
      ]);
      expect(view).toMatchObject({ method, path, args: { a: '1' }, data: '' });
      expect(view.form).toEqual(content ? { b: '2' } : {});
      expect(view.connection).toBe(multiplexed ? 'close (ignored: HTTP/2)' : 'close');
      expect(received.headers.connection).toBe(multiplexed ? undefined : 'close');
    });

    test('no other method is', async () => {
      for (const other of METHODS.filter((candidate) => candidate !== method)) {
        const { status, headers } = await client().request(path, { method: other });
        expect(status).toBe(405);
        expect(headers.allow).toBe(method === 'GET' ? 'GET, HEAD, OPTIONS' : `${method}, OPTIONS`);
      }
    });

    test('HEAD goes with GET', async () => {
      const { status, headers, body } = await client().request(path, { method: 'HEAD' });
      expect(status).toBe(method === 'GET' ? 200 : 405);
      expect(body).toHaveLength(0);
      if (method === 'GET') return;
      // RFC 9110 8.6.
      const got = await client().request(path);
      expect(headers['content-length']).toBe(String(got.body.length));
    });
  });
}
