import { describe, expect, test } from 'vitest';
import { randomUuid, requestId } from '../../src/server/response-fields.ts';
import { overBothProtocols } from '../_everywhere.ts';
import { exchange, LAST, GET, openSocket, converse } from '../_raw.ts';
import { startService } from '../_service.ts';
import { echoOf } from '../_echo.ts';

overBothProtocols(({ client }) => {
  test('X-Conn-Id matches the echo, X-Conn-Request counts, whatever the status', async () => {
    const first = await client().request('/anything');
    const { conn } = echoOf(first.body);
    const at = conn.request;
    const responses = [first];
    for (const target of ['/nowhere', '/bytes/x', '/status/204', '/response-headers?a=b']) {
      responses.push(await client().request(target));
    }
    responses.push(await client().request('/bytes/3', { method: 'HEAD' }));
    expect(responses.map(({ status }) => status)).toEqual([200, 404, 400, 204, 200, 200]);
    expect(
      responses.map(({ headers }) => [headers['x-conn-id'], headers['x-conn-request']]),
    ).toEqual(responses.map((_, nth) => [conn.id, String(at + nth)]));
  });

  test('a field chosen by the client takes precedence', async () => {
    const { headers } = await client().request('/response-headers?x-conn-id=mine');
    expect(headers['x-conn-id']).toBe('mine');
    expect(headers['x-conn-request']).toMatch(/^\d+$/);
  });
}, '--conn-headers');

overBothProtocols(({ client }) => {
  test('without --conn-headers there is neither', async () => {
    const { headers } = await client().request('/anything');
    expect(Object.keys(headers).filter((name) => name.startsWith('x-conn'))).toEqual([]);
  });
});

test('pipelined requests have their own numbers, a message that never became a request has none', async () => {
  const { port } = await startService('--conn-headers');
  const pipelined = await exchange(port, GET('/delay/0.1') + GET('/ip') + 'no message\r\n\r\n');
  expect(numbersOf(pipelined)).toEqual(['1', '2']);
  expect(new Set(idsOf(pipelined)).size).toBe(1);
  expect(idsOf(pipelined)).toHaveLength(3);
  const other = await exchange(port, GET('/ip', LAST), ['http/1.1']);
  expect(numbersOf(other)).toEqual(['1']);
  expect(idsOf(other)).not.toEqual(idsOf(pipelined).slice(0, 1));
});

test('the response to an invalid message has no X-Conn-Id by default', async () => {
  const { port } = await startService();
  const socket = await openSocket(port);
  const response = await converse(socket, 'no message\r\n\r\n');
  expect(response).toMatch(/^HTTP\/1\.1 400 /);
  expect(response.toLowerCase()).not.toContain('x-conn');
});

function idsOf(responses: string): string[] {
  return [...responses.matchAll(/^X-Conn-Id: (\w+)\r$/gm)].map(([, id]) => String(id));
}

function numbersOf(responses: string): string[] {
  return [...responses.matchAll(/^X-Conn-Request: (\d+)\r$/gm)].map(([, number]) => String(number));
}

overBothProtocols(({ client }) => {
  test.each(['/anything', '/nowhere', '/status/204', '/bytes/x', '/response-headers?a=b'])(
    'with --lean the response of %s has neither X-Request-Id nor X-Response-Time',
    async (target) => {
      const { headers } = await client().request(target, { headers: { 'x-request-id': 'mine' } });
      expect(Object.keys(headers).filter((name) => name.startsWith('x-re'))).toEqual([]);
    },
  );

  test('with --lean a client can still choose them', async () => {
    const { headers } = await client().request('/response-headers?X-Request-Id=mine');
    expect(headers['x-request-id']).toBe('mine');
  });

  test('with --lean /openapi.json does not document them', async () => {
    const { body } = await client().request('/openapi.json');
    const { headers } = (JSON.parse(body.toString()) as { components: { headers: object } })
      .components;
    expect(Object.keys(headers)).toEqual([]);
  });
}, '--lean');

test('with --lean neither has the response to an invalid message', async () => {
  const { port } = await startService('--lean', '--conn-headers');
  const response = await exchange(port, 'no message\r\n\r\n');
  expect(response).toMatch(/^X-Conn-Id: /m);
  expect(response).not.toMatch(/^X-Re/m);
});

const UUID_V4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

test('generates unique UUIDs of version 4 and variant 10 (RFC 9562 5.4)', () => {
  const made = Array.from({ length: 2000 }, randomUuid);
  expect(made.filter((uuid) => !UUID_V4.test(uuid))).toEqual([]);
  expect(new Set(made).size).toBe(made.length);
});

describe('an identifier sent by the client', () => {
  test.each(['x', 'abc-123', '!~', 'a'.repeat(128)])('%s is kept', (sent) => {
    expect(requestId(sent)).toBe(sent);
  });

  test.each([undefined, '', 'a b', 'é', 'a\tb', 'a'.repeat(129)])('%s is replaced', (sent) => {
    expect(requestId(sent)).toMatch(UUID_V4);
  });
});
