import { describe, expect, test } from 'vitest';
import { everywhere, overBothProtocols, overOneProtocol } from '../../_everywhere.ts';
import { outcomeOf } from '../../_ending.ts';
import { GET } from '../../_raw.ts';

const FIELD = 'x-wirebin-respond';

everywhere(({ client, running, transport }) => {
  const ask = (target: string, description: string, method = 'GET', body = '') =>
    client().request(target, { method, headers: { [FIELD]: description }, ...(body && { body }) });

  test('the field describes the response of any path, and of any method', async () => {
    const description = 'status=503&header=Retry-After: 1&body=no&delay=1ms';
    for (const target of ['/get', '/nowhere/at/all', '/healthz', '/bytes/x?n=1', '/status/404']) {
      for (const method of ['GET', 'POST', 'OPTIONS', 'PURGE']) {
        const { status, headers, body } = await ask(target, description, method);
        expect([target, method, status, headers['retry-after'], body.toString()]).toEqual([
          target,
          method,
          503,
          '1',
          'no',
        ]);
      }
    }
  });

  test('content of the request is read for its echo only', async () => {
    const echo = await ask('/upload?a=b', 'content=echo', 'POST', 'sent');
    expect(JSON.parse(echo.body.toString())).toMatchObject({ body: 'sent', path: '/upload' });
    const other = await ask('/upload', 'status=507', 'POST', 'x'.repeat(3_000_000));
    expect(other.status).toBe(507);
  });

  test('what is wrong is a 400 that names the field', async () => {
    const { status, body } = await ask('/get', 'stauts=1');
    expect(status).toBe(400);
    expect(body.toString()).toContain(
      'X-Wirebin-Respond: stauts is not a parameter of /respond; did you mean status?',
    );
  });

  test('a fault', async () => {
    if (transport !== 'http/1.1') return;
    const field = 'X-Wirebin-Respond: fault=close@3&body=abcdef\r\n';
    const { received } = await outcomeOf(running().port, GET('/api/x', field), false);
    expect(received).toMatch(/\r\n\r\nabc$/);
  });
});

const headers = { [FIELD]: 'status=503' };

describe.each(['--lean', '--disable=/respond'])('with %s', (setting) => {
  overBothProtocols(({ client }) => {
    test('the field is an ordinary one', async () => {
      expect(await client().request('/get', { headers })).toMatchObject({ status: 200 });
    });
  }, setting);
});

describe('in another dialect', () => {
  overBothProtocols(
    ({ client }) => {
      test('the field is an ordinary one, and rules count', async () => {
        expect(await client().request('/get', { headers })).toMatchObject({ status: 200 });
        expect(await client().request('/status/200')).toMatchObject({ status: 418 });
      });
    },
    '--dialect=httpbin',
    '--respond=GET /status/200: status=418',
  );
});

overBothProtocols(
  ({ client }) => {
    const statusOf = async (target: string, method = 'GET') =>
      (await client().request(target, { method })).status;

    test.each([
      ['GET', '/api/orders', 503],
      ['HEAD', '/api/orders', 503],
      ['GET', '/api/', 503],
      ['POST', '/api/orders', 402],
      ['GET', '/api', 410],
      ['DELETE', '/other', 410],
      ['OPTIONS', '/api/a', 410],
      ['GET', '/apix/orders', 410],
      ['GET', '/exact', 201],
      ['GET', '/exact/more', 410],
      ['GET', '/a.b', 203],
      ['GET', '/axb', 410],
    ])('%s %s: the first rule that matches, %i', async (method, target, status) => {
      expect(await statusOf(target, method)).toBe(status);
    });

    test("wirebin's own paths keep working unless a rule names them", async () => {
      for (const target of ['/', '/healthz', '/readyz', '/get', '/anything/a', '/bytes/1']) {
        expect([target, await statusOf(target)]).toEqual([target, 200]);
      }
      expect(await statusOf('/headers')).toBe(418);
      expect(await statusOf('/status/200')).toBe(419);
      expect(await statusOf('/status/200', 'POST')).toBe(200);
    });

    test('the query is no part of the path, and the operator may send markup', async () => {
      const { status, body } = await client().request('/exact?a=/b');
      expect([status, body.toString()]).toEqual([201, '<b>']);
    });

    test('the field comes first', async () => {
      expect(await client().request('/exact', { headers })).toMatchObject({ status: 503 });
    });
  },
  [
    '--respond=GET /api/*: status=503&header=Retry-After: 1',
    '--respond=POST /api/orders: status=402',
    '--respond=GET /headers: status=418',
    '--respond=GET /status/*: status=419',
    '--respond=GET /exact: status=201&type=text/html&body=<b>',
    '--respond=GET /a.b: status=203',
    '--respond=* /*: status=410',
  ],
);

overOneProtocol(({ client }) => {
  test('a rule of * for every path leaves OPTIONS * and all paths of wirebin', async () => {
    expect(await client().request('/get')).toMatchObject({ status: 200 });
    expect(await client().request('/get', { method: 'OPTIONS' })).toMatchObject({ status: 204 });
  });
}, '--respond=* /*: status=410');
