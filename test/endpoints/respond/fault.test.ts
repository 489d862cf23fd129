import { expect, test } from 'vitest';
import { until } from '../../_adapters.ts';
import { outcomeOf } from '../../_ending.ts';
import { sharedPlace } from '../../_everywhere.ts';
import { FrameClient, get, HEADERS } from '../../_frames.ts';
import { exchange, GET, LAST, openSocket, POST } from '../../_raw.ts';
import { HpackDecoder } from '../../../src/wire/http2/hpack-decoder.ts';

const { running } = sharedPlace('http/1.1');
const bytesOf = (query: string, fields = LAST) =>
  exchange(running().port, GET(`/respond?${query}`, fields));

test('fault: after so much of the content', async () => {
  const { received, ending } = await outcomeOf(
    running().port,
    GET('/respond?body=abcdefgh&fault=close@3&status=201'),
    false,
  );
  expect(ending).toBe('FIN');
  expect(received).toMatch(/^HTTP\/1\.1 201 Created\r\n.*Content-Length: 8\r\n.*\r\n\r\nabc$/s);
  const reset = await outcomeOf(running().port, GET('/respond?fault=reset@start'), false);
  expect(reset).toMatchObject({ received: '', ending: 'RST' });
});

test('fault: parameters of its kind', async () => {
  expect(await bytesOf('body=abc&fault=content-length,sent=2,declared=9', '')).toMatch(
    /Content-Length: 9\r\n.*\r\n\r\nab$/s,
  );
  expect(await bytesOf('body=abc&fault=content-length', '')).toMatch(
    /Content-Length: 3\r\n.*\r\n\r\na$/s,
  );
  expect(await bytesOf('body=abc&fault=chunk,how=no-last', '')).toMatch(/\r\n\r\n3\r\nabc\r\n$/);
  expect(await bytesOf('fault=garbage,length=7', '')).toHaveLength(7);
});

test('fault=garbage@body: a good head, and then garbage', async () => {
  expect(await bytesOf('body=abcd&status=503&fault=garbage@body,length=7', '')).toMatch(
    /^HTTP\/1\.1 503 .*\r\nTransfer-Encoding: chunked\r\n.*?\r\n\r\n.{7}$/s,
  );
  expect(await bytesOf('body=abcd&fault=garbage@50%25,length=7&framing=length', '')).toMatch(
    /\r\nContent-Length: 4\r\n.*\r\n\r\nab.{7}$/s,
  );
  expect(await bytesOf('body=abcd&encoding=gzip&fault=garbage@end,length=7', '')).toMatch(
    /\r\nContent-Encoding: gzip\r\n/,
  );
});

test.each([
  ['body=a&fault=garbage', 'fault=garbage contradicts body: it replaces the response'],
  ['body=a&fault=garbage@start', 'fault=garbage contradicts body: it replaces the response'],
  ['body=a&fault=garbage@2', 'after=2 exceeds content=1'],
  ['body=a&fault=garbage@body,content=3', 'content is not a parameter of fault=garbage'],
])('%s: 400', async (query, detail) => {
  expect(await bytesOf(query)).toContain(detail);
});

test('fault=no-read: the content of the request is not read before', async () => {
  const path = '/respond?body=read&fault=no-read,for=50ms';
  const start = performance.now();
  const received = await exchange(
    running().port,
    POST(path, `Content-Length: 4\r\n${LAST}`, 'abcd'),
  );
  expect(performance.now() - start).toBeGreaterThan(45);
  expect(received).toMatch(/\r\n\r\nread$/);
});

test('fault=rst-stream', async () => {
  const client = new FrameClient(await openSocket(running().port));
  client.send(get(1, '/respond?body=abcdefgh&fault=rst-stream@50%25,code=CANCEL'));
  await until(() => client.reset(1) !== undefined);
  expect([client.reset(1), client.content(1)]).toEqual([8, 'abcd']);
  client.socket.destroy();
});

test.each([
  ['fault=content-length', 'abcd', '8'],
  ['fault=content-length,sent=2,declared=9', 'ab', '9'],
])('%s on HTTP/2', async (fault, content, declared) => {
  const client = new FrameClient(await openSocket(running().port));
  client.send(get(1, `/respond?body=abcdefgh&${fault}`));
  await until(() => client.isDone(1));
  const [head] = client.got(HEADERS, 1);
  const { fields } = new HpackDecoder().decode(head?.payload ?? Buffer.alloc(0));
  const length = fields.find(({ name }) => name === 'content-length')?.value;
  expect([client.content(1), length]).toEqual([content, declared]);
  client.socket.destroy();
});
