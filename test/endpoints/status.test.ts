import { once } from 'node:events';
import { expect, test } from 'vitest';
import { reasonPhrases } from '../../src/http/status.ts';
import { isHttp2, METHODS } from '../_client.ts';
import { overBothProtocols, overOneProtocol } from '../_everywhere.ts';
import { converse, GET, LAST, openSocket } from '../_raw.ts';
import { expectRefused } from '../_refusal.ts';

const REFUSED = ['99', '100', '101', '103', '199', '0'];

overBothProtocols(({ client, transport }) => {
  test('RFC 9110 15.5.22: 426 has Upgrade; RFC 9113 8.2.2: not on HTTP/2', async () => {
    const { headers } = await client().request('/status/426');
    const expected = isHttp2(transport) ? [undefined, undefined] : ['HTTP/2.0', 'Upgrade'];
    expect([headers.upgrade, headers.connection]).toEqual(expected);
  });
});

overOneProtocol(({ client, running }) => {
  test('every status from 200 to 599', async () => {
    for (let code = 200; code <= 599; code++) {
      const { status, headers, body } = await client().request(`/status/${code}`);
      expect(status).toBe(code);
      const redirects = code >= 300 && code <= 399 && code !== 304;
      expect(headers.location).toBe(redirects ? '/redirect/1' : undefined);
      if ([204, 205, 304].includes(code)) {
        expect(body).toHaveLength(0);
        expect(headers['content-type']).toBeUndefined();
        // RFC 9110 8.6 forbids Content-Length with 204; 205 has to indicate zero length (15.3.6).
        expect(headers['content-length']).toBe(code === 205 ? '0' : undefined);
      } else {
        const reason = reasonPhrases[code] ?? 'unknown';
        expect(JSON.parse(body.toString())).toEqual({ status: code, reason });
      }
    }
  });

  test.each(METHODS)('with method %s', async (method) => {
    const { status, headers, body } = await client().request('/status/418', { method });
    expect(status).toBe(418);
    expect(headers['content-type']).toBe('application/json');
    expect(body.length > 0).toBe(method !== 'HEAD');
  });

  test('RFC 9110 11.6.1, 11.7.1: 401 and 407 challenge', async () => {
    const origin = await client().request('/status/401');
    expect(origin.headers['www-authenticate']).toBe('Basic realm="wirebin"');
    const proxy = await client().request('/status/407');
    expect(proxy.headers['proxy-authenticate']).toBe('Basic realm="wirebin"');
  });

  test('RFC 9110 15.5.6: 405 has Allow', async () => {
    const { headers } = await client().request('/status/405');
    expect(headers.allow).toBe('GET, HEAD, OPTIONS');
  });

  test.each([
    ['HTTP/1.0', 'GET /status/426 HTTP/1.0\r\n\r\n'],
    ['HTTP/1.1', GET('/status/426', LAST)],
  ])('RFC 9112 9.6: 426 closes the connection if %s asks for it', async (_version, bytes) => {
    const socket = await openSocket(running().port);
    const ended = once(socket, 'end', { signal: AbortSignal.timeout(5000) });
    const received = await converse(socket, bytes, (text) => text.endsWith('}\n'));
    expect(received).toMatch(/^Connection: close$/im);
    await ended;
  });

  test('RFC 9110 15.3.7: 206 has Content-Range', async () => {
    const { headers, body } = await client().request('/status/206');
    expect(headers['content-range']).toBe(`bytes 0-${body.length - 1}/${body.length}`);
    const head = await client().request('/status/206', { method: 'HEAD' });
    expect(head.headers['content-range']).toBe(headers['content-range']);
  });

  test('picks one of a list', async () => {
    const seen = new Set<number>();
    for (let count = 0; count < 60; count++) {
      seen.add((await client().request('/status/200,404,503')).status);
    }
    expect(seen).toEqual(new Set([200, 404, 503]));
  });

  test('picks one of a weighted list', async () => {
    let ok = 0;
    for (let count = 0; count < 400; count++) {
      const { status } = await client().request('/status/200:3,503:1,500:0');
      expect([200, 503]).toContain(status);
      if (status === 200) ok++;
    }
    // 300 are expected, standard deviation 8.7.
    expect(Math.abs(ok - 300)).toBeLessThan(60);
    expect((await client().request('/status/200:0,503:0.5')).status).toBe(503);
  });

  test('percentages leave the rest to 200', async () => {
    expect((await client().request('/status/503:100%25')).status).toBe(503);
    expect((await client().request('/status/503:0%25')).status).toBe(200);
    const received = new Set<number>();
    for (let count = 0; count < 100; count++) {
      received.add((await client().request('/status/503:33%25,404:33%25')).status);
    }
    // One of them is missing in less than one of 10^16 runs.
    expect(received).toEqual(new Set([200, 404, 503]));
  });

  test.each([
    ['503:60%25,404:41%25', 'code=503:60%,404:41% exceeds 100%: 101% in all'],
    ['503:10%25,404', 'code=503:10%,404 mixes percentages with other weights'],
    ['503:50%25,404:1', 'code=503:50%,404:1 mixes percentages with other weights'],
    ['99:10%25', 'code=99 is below the minimum of 200'],
  ])('%s is rejected', async (codes, message) => {
    await expectRefused(client(), `/status/${codes}`, message);
  });

  test('httpbin knows no percentages', async () => {
    const { status } = await client().request('/status/503:100%25?dialect=httpbin');
    expect(status).toBe(400);
  });

  test.each([
    ...REFUSED.map((code) => [code, `code=${code} is below the minimum of 200`]),
    ['600', 'code=600 exceeds the maximum of 599'],
    ['200,600', 'code=600 exceeds the maximum of 599'],
    ['200,', 'code=200, has an empty element'],
    ['200:,503', 'code=200: is not a status or status:weight'],
    ['200:-1', 'code=200:-1 is not a status or status:weight'],
    ['200:1e3', 'code=200:1e3 is not a status or status:weight'],
    ['200:1:1', 'code=200:1:1 is not a status or status:weight'],
    ['200:0,503:0', 'code=200:0,503:0 has no weight above 0'],
    [`200:${'9'.repeat(400)}`, `code=200:${'9'.repeat(400)} has a weight that is too large`],
  ])('a code of %s is rejected', async (code = '', detail = '') => {
    await expectRefused(client(), `/status/${code}`, detail);
  });
});
