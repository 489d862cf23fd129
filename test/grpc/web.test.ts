import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { until } from '../_adapters.ts';
import { isHttp2 } from '../_client.ts';
import { everywhere } from '../_everywhere.ts';
import { framesOf, prefixed } from './_call.ts';
import { bytes, message, number } from './_protobuf.ts';

const path = (method: string) => `/grpc.testing.TestService/${method}`;
const responseOf = (size: number) => bytes(1, bytes(2, Buffer.alloc(size)));
const trailersOf = (frame: [number, Buffer] | undefined) => [frame?.[0], frame?.[1].toString()];
const timers = () => process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length;
const OK = [0x80, 'grpc-status: 0\r\n'];

everywhere(({ client, transport }) => {
  const call = (
    method: string,
    body: Uint8Array | string,
    headers: Record<string, string> = {},
  ) => {
    const sent = { 'Content-Type': 'application/grpc-web+proto', 'X-Grpc-Web': '1', ...headers };
    return client().request(path(method), { method: 'POST', body, headers: sent });
  };

  test('a unary call has its trailers in the content', async () => {
    const request = prefixed(message(number(2, 20_000)));
    const { status, headers, body, trailers } = await call('UnaryCall', request);
    expect(status).toBe(200);
    expect(headers['content-type']).toBe('application/grpc-web+proto');
    expect(headers).not.toHaveProperty('grpc-status');
    const [first, last] = framesOf(body);
    expect(first?.[1].subarray(0, 20_008).equals(responseOf(20_000))).toBe(true);
    expect(trailersOf(last)).toEqual(OK);
    expect(trailers).toEqual({});
  });

  test('responses that stream', async () => {
    const request = message(...[3, 4].map((size) => bytes(2, number(1, size))));
    const { body } = await call('StreamingOutputCall', prefixed(request));
    const frames = framesOf(body);
    const expected = [3, 4].map((size): [number, Buffer] => [0, responseOf(size)]);
    expect(frames.slice(0, 2)).toEqual(expected);
    expect(trailersOf(frames[2])).toEqual(OK);
  });

  test('a status with metadata', async () => {
    const request = prefixed(bytes(7, message(number(1, 9), bytes(2, 'ä'))));
    const echo = { 'x-grpc-test-echo-trailing-bin': 'AAE=' };
    const { body } = await call('UnaryCall', request, echo);
    const lines =
      'grpc-status: 9\r\ngrpc-message: %C3%A4\r\nx-grpc-test-echo-trailing-bin: AAE\r\n';
    expect(framesOf(body).map(trailersOf)).toEqual([[0x80, lines]]);
  });

  test('in base64', async () => {
    const request = prefixed(bytes(2, number(1, 3)));
    const text = `${request.subarray(0, 2).toString('base64')}${request.subarray(2).toString('base64')}`;
    const type = 'application/grpc-web-text';
    const { headers, body } = await call('StreamingOutputCall', text, { 'Content-Type': type });
    expect(headers['content-type']).toBe(type);
    expect(body.toString()).toMatch(/^[\w+/=]+$/);
    const decoded = body
      .toString()
      .match(/[^=]+=*/g)
      ?.map((part) => Buffer.from(part, 'base64'));
    const [first, last] = framesOf(Buffer.concat(decoded ?? []));
    expect(first).toEqual([0, responseOf(3)]);
    expect(trailersOf(last)).toEqual(OK);
  });

  test('compressed', async () => {
    const coding = { 'grpc-encoding': 'gzip', 'grpc-accept-encoding': 'gzip' };
    const request = message(bytes(6, number(1, 1)), bytes(8, number(1, 1)));
    const { body } = await call('UnaryCall', prefixed(gzipSync(request), 1), coding);
    expect(framesOf(body).map(([flags]) => flags)).toEqual([1, 0x80]);
  });

  test('the connection can be used after an early end', async () => {
    const large = prefixed(bytes(1, Buffer.alloc(3_000_000)));
    const { body } = await call('UnaryCall', large);
    expect(trailersOf(framesOf(body)[0])[1]).toContain('grpc-status: 8');
    expect((await client().request('/uuid')).status).toBe(200);
  });

  test.each(['http-status', 'trailers-only'])('%s ends the work for the call', async (fault) => {
    const respond = '/wirebin.v1.Wirebin/Respond';
    const slow = prefixed(Buffer.concat([number(7, 2), Buffer.from('4900000000006af840', 'hex')]));
    const headers = { 'Content-Type': 'application/grpc-web', 'wirebin-fault': fault };
    const sent = { method: 'POST', body: slow, headers };
    const before = timers();
    for (let count = 0; count < 5; count++) await client().request(respond, sent);
    await until(() => timers() <= before + 1);
  });

  test('a path without a method', async () => {
    const { headers } = await call('Missing', prefixed(''));
    expect(headers).toMatchObject({
      'grpc-status': '12',
      'content-type': 'application/grpc-web+proto',
    });
  });

  test('pages of other origins may call', async () => {
    const origin = { Origin: 'https://example.com' };
    const wanted = 'content-type,x-grpc-web,grpc-timeout';
    const preflight = await client().request(path('EmptyCall'), {
      method: 'OPTIONS',
      headers: {
        ...origin,
        'Access-Control-Request-Method': 'POST',
        'Access-Control-Request-Headers': wanted,
      },
    });
    expect(preflight.status).toBe(204);
    expect(preflight.headers).toMatchObject({
      allow: 'POST, OPTIONS',
      'access-control-allow-origin': 'https://example.com',
      'access-control-allow-headers': wanted,
    });
    expect(preflight.headers['access-control-allow-methods']).toContain('POST');
    const echo = { 'x-grpc-test-echo-initial': 'x', ...origin };
    const { headers } = await call('EmptyCall', prefixed(''), echo);
    expect(headers['access-control-allow-origin']).toBe('https://example.com');
    const exposed = headers['access-control-expose-headers'];
    expect(exposed).toContain('grpc-status, grpc-message');
    expect(exposed).toContain('x-grpc-test-echo-initial');
  });

  test('the preflight of another path is left to the dialect', async () => {
    const headers = { Origin: 'https://example.com', 'Access-Control-Request-Method': 'POST' };
    const { status } = await client().request('/missing', { method: 'OPTIONS', headers });
    expect(status).toBe(404);
  });

  if (!isHttp2(transport)) {
    test('gRPC itself needs HTTP/2', async () => {
      const { status } = await call('EmptyCall', prefixed(''), {
        'Content-Type': 'application/grpc',
      });
      expect(status).toBe(505);
    });
  }
});
