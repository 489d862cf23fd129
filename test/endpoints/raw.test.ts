import { describe, expect, test } from 'vitest';
import { openClient } from '../_client.ts';
import { outcomeOf } from '../_ending.ts';
import { sharedPlace } from '../_everywhere.ts';
import { GET, LAST, POST } from '../_raw.ts';

const { running } = sharedPlace('http/1.1', '--allow-raw');

const ANY_BYTES = Buffer.from(Array.from({ length: 256 }, (_, at) => at)).toString('latin1');
const post = (path: string, content: string, fields = '') =>
  POST(path, `Content-Length: ${content.length}\r\n${fields}`, content);
const encoded = (bytes: string) => Buffer.from(bytes, 'latin1').toString('base64url');

describe.each([
  ['in clear', false],
  ['over TLS', true],
])('%s', (_, isSecure) => {
  const ask = (request: string) => outcomeOf(running().port, request, isSecure);
  const FIN = { ending: 'FIN', closeNotify: isSecure ? true : undefined };

  test('the content is the response, then FIN', async () => {
    expect(await ask(post('/raw', ANY_BYTES))).toEqual({ received: ANY_BYTES, ...FIN });
  });

  test('or base64 in the query', async () => {
    const outcome = await ask(GET(`/raw?base64=${encoded(ANY_BYTES)}`));
    expect(outcome).toEqual({ received: ANY_BYTES, ...FIN });
  });

  test('for HEAD, too', async () => {
    const outcome = await ask(GET('/raw?base64=YWJj').replace('GET', 'HEAD'));
    expect(outcome.received).toBe('abc');
  });

  test('the largest content', async () => {
    const content = ANY_BYTES.repeat(8192);
    expect((await ask(post('/raw', content))).received).toBe(content);
  });

  test('then=keep: the next response follows', async () => {
    const outcome = await ask(post('/raw?then=keep', ANY_BYTES) + GET('/healthz', LAST));
    expect(outcome.received.slice(0, 256)).toBe(ANY_BYTES);
    expect(outcome.received.slice(256)).toMatch(/^HTTP\/1\.1 200 OK\r\n.*\r\n\r\nOK$/s);
  });

  test('then=keep closes after the last request', async () => {
    const outcome = await ask(post('/raw?then=keep', 'abc', LAST));
    expect(outcome).toEqual({ received: 'abc', ...FIN });
  });

  test.each([
    [GET('/raw', LAST), 'base64 is required without content'],
    [post('/raw?base64=YWJj', 'x', LAST), 'base64 is given although there is content'],
    [GET('/raw?base64=!', LAST), 'base64=! is not base64'],
    [GET('/raw?then=stop', LAST), 'then=stop is not one of close, keep'],
  ])('%j: 400', async (request, detail) => {
    const { received } = await ask(request);
    expect(received).toMatch(/^HTTP\/1\.1 400 /);
    expect(received).toContain(detail);
  });
});

test.each(['h2c', 'h2'] as const)('%s: not available, with bytes or without', async (transport) => {
  const client = openClient(transport, running().port);
  for (const target of ['/raw?base64=YWJj', '/raw']) {
    const { status, body } = await client.request(target);
    expect(status).toBe(400);
    expect(body.toString()).toContain('/problems/fault-unavailable');
    expect(body.toString()).toContain('/raw: HTTP/2 has frames, which /frames sends');
  }
});
