import http from 'node:http';
import https from 'node:https';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { connectHttp2 } from '../../src/net/http2-sessions.ts';
import type { Transport } from '../_client.ts';
import { everywhere } from '../_everywhere.ts';

type Fields = Record<string, string | string[]>;

/** Sends a request with trailers. @returns the echo */
async function echoOf(transport: Transport, port: number, fields: Fields, content = 'content') {
  const target = { host: '127.0.0.1', port, path: '/anything', method: 'POST' };
  if (transport.endsWith('1.1')) {
    const { request } = transport === 'http/1.1' ? http : https;
    const options = { ...target, agent: false, rejectUnauthorized: false };
    const outgoing = request({ ...options, headers: { 'transfer-encoding': 'chunked' } });
    outgoing.addTrailers(Object.entries(fields).flatMap(linesOf));
    outgoing.end(content);
    const incoming = await new Promise<http.IncomingMessage>((resolve, reject) => {
      outgoing.once('response', resolve).once('error', reject);
    });
    return JSON.parse(await text(incoming)) as Record<string, unknown>;
  }
  const scheme = transport === 'h2' ? 'https' : 'http';
  const session = connectHttp2(`${scheme}://127.0.0.1:${port}`, { rejectUnauthorized: false });
  const stream = session.request(
    { ':method': 'POST', ':path': '/anything' },
    { waitForTrailers: true },
  );
  stream.on('wantTrailers', () => stream.sendTrailers(fields));
  stream.end(content);
  const echo = JSON.parse(await text(stream)) as Record<string, unknown>;
  session.close();
  return echo;
}

function linesOf([name, values]: [string, string | string[]]): [string, string][] {
  return [values].flat().map((value) => [name, value]);
}

everywhere(({ client, running, transport }) => {
  test('RFC 9110 6.5: trailer fields are echoed, in order and including repeated ones', async () => {
    const fields = { 'x-b': ['1', '2'], 'x-a': 'caf\u00e9' };
    const echo = await echoOf(transport, running().port, fields);
    expect(echo).toMatchObject({
      body: 'content',
      trailers: { 'x-b': '1, 2', 'x-a': 'caf\u00e9' },
      raw_trailers: [
        ['x-b', '1'],
        ['x-b', '2'],
        ['x-a', 'caf\u00e9'],
      ],
    });
    expect(echo['headers']).not.toHaveProperty('x-b');
  });

  test('trailers after a large body', async () => {
    const echo = await echoOf(transport, running().port, { x: '1' }, 'y'.repeat(500_000));
    expect(echo['trailers']).toEqual({ x: '1' });
  });

  test('without trailers the echo has no `trailers`', async () => {
    for (const sent of [{}, { method: 'POST', body: 'content' }]) {
      const { body } = await client().request('/anything', sent);
      expect(Object.keys(JSON.parse(body.toString()) as object)).not.toContain('trailers');
    }
  });
});
