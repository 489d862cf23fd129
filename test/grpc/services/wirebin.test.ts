import { beforeAll, describe, expect, test } from 'vitest';
import type { ClientHttp2Session } from 'node:http2';
import { gunzipSync } from 'node:zlib';
import { field, message, repeated } from '../../../src/wire/protobuf/message.ts';
import { BYTES, INT32, STRING } from '../../../src/wire/protobuf/types.ts';
import { sharedService } from '../../_shared.ts';
import { callWith, openSession } from '../_call.ts';
import { call, converse } from '../_client.ts';

const running = sharedService();
let session: ClientHttp2Session;
beforeAll(() => {
  session = openSession(running().port);
});

describe('Echo', () => {
  const echo = 'wirebin.v1.Wirebin/Echo';

  test('tells the call as it arrived', async () => {
    const fields = { 'grpc-timeout': '5S', 'grpc-accept-encoding': 'gzip, x', b: ['2', '1'] };
    const { messages } = await call(
      session,
      echo,
      { message: 'é' },
      { ...fields, 'c-bin': 'AAEC,YQ==' },
    );
    const { port } = running();
    expect(messages).toMatchObject([
      {
        method: `/${echo}`,
        http_version: 'HTTP/2.0',
        authority: `127.0.0.1:${port}`,
        metadata: expect.arrayContaining([
          { name: ':path', value: `/${echo}` },
          { name: 'c-bin', value: 'AAEC', binary: Buffer.from([0, 1, 2]) },
          { name: 'c-bin', value: 'YQ==', binary: Buffer.from('a') },
        ]),
        timeout_ms: 5000,
        accept_encoding: ['gzip', 'x'],
        request: { message: 'é' },
        origin: '127.0.0.1',
        connection: { protocol: 'h2c', stream: expect.any(Number), local: `127.0.0.1:${port}` },
        http2: { akamai_fingerprint: expect.any(String) },
      },
    ]);
    const [{ metadata }] = messages as [{ metadata: { name: string; value: string }[] }];
    expect(metadata.filter(({ name }) => name === 'b').map(({ value }) => value)).toEqual([
      '2',
      '1',
    ]);
  });

  test('tells TLS', async () => {
    const { messages } = await call(openSession(running().port, true), echo);
    expect(messages).toMatchObject([
      {
        tls: {
          version: 'TLSv1.3',
          alpn: 'h2',
          group: expect.stringMatching(/25519/),
          ja4: expect.stringMatching(/^t13/),
        },
      },
    ]);
  });
});

describe('Respond', () => {
  const respond = 'wirebin.v1.Wirebin/Respond';
  const Status = message('google.rpc.Status', {
    code: field(1, INT32),
    message: field(2, STRING),
    details: repeated(
      3,
      message('google.protobuf.Any', { type_url: field(1, STRING), value: field(2, BYTES) }),
    ),
  });

  test('a message by default', async () => {
    expect(await call(session, respond)).toMatchObject({ messages: [{ number: 1 }], status: '0' });
  });

  test('messages, and a status with details, metadata and trailers', async () => {
    const details = [{ type_url: 'type.googleapis.com/a.B', value: Buffer.from('x') }];
    const request = {
      code: 8,
      message: '100 % é',
      details,
      headers: [
        { name: 'a', value: '1' },
        { name: 'a', value: '2' },
      ],
      trailers: [{ name: 'b-bin', binary: Buffer.from([255]) }],
      count: 2,
      size: 3,
    };
    const result = await call(session, respond, request);
    const payload = Buffer.alloc(3);
    expect(result).toMatchObject({
      messages: [
        { number: 1, payload },
        { number: 2, payload },
      ],
      status: '8',
      text: '100 % é',
      headers: { a: '1, 2' },
      trailers: { 'b-bin': '/w' },
    });
    const detailed = Buffer.from(String(result.trailers['grpc-status-details-bin']), 'base64');
    expect(Status.decode(detailed)).toEqual({ code: 8, message: '100 % é', details });
  });

  test('a status without messages comes in the header section', async () => {
    const { headers } = await call(session, respond, { code: 14, count: 0, delay_ms: 1 });
    expect(headers).toMatchObject({ 'grpc-status': '14' });
  });

  test('compressed messages', async () => {
    const fields = { 'grpc-accept-encoding': 'gzip' };
    const request = Buffer.from([0x40, 0x64, 0x50, 0x01]);
    const { headers, frames } = await callWith(session, `/${respond}`, [request], fields);
    expect(headers['grpc-encoding']).toBe('gzip');
    const [[flags, content] = [0, Buffer.alloc(0)]] = frames;
    expect(flags).toBe(1);
    expect(gunzipSync(content)).toHaveLength(2 + 2 + 100);
  });

  test.each([
    [{ count: 100_001 }, 'count=100001 exceeds the maximum of 100000'],
    [{ count: 11, size: 2 ** 20 }, '11 messages of 1048576 bytes exceed the maximum of 10485760'],
    [{ delay_ms: 200_000, interval_ms: 100_001 }, expect.stringMatching(/are 200000 \+ 100001 ms/)],
    [{ delay_ms: -6000, interval_ms: 3000 }, expect.stringMatching(/are -6000 \+ 3000 ms/)],
    [{ interval_ms: NaN }, expect.stringMatching(/^delay_ms and interval_ms are 0 \+ NaN ms/)],
    [{ code: -5 }, 'code=-5 is negative'],
    [{ headers: [{ name: 'Content-Type' }] }, 'content-type is a field of the protocol'],
    [{ trailers: [{ name: 'Grpc-Status' }] }, 'grpc-status is a field of the protocol'],
    [{ headers: [{ name: 'é', value: '' }] }, expect.stringContaining('is not a field name')],
    [{ headers: [{ name: 'a', value: '\r\n' }] }, expect.stringContaining('is not a field value')],
    [{ trailers: [{ name: 'grpc-status', value: '1' }] }, 'grpc-status is a field of the protocol'],
    [
      { headers: [{ name: 'access-control-allow-credentials' }] },
      'access-control-allow-credentials is a field of the protocol',
    ],
    [{ trailers: [{ name: 'te', value: '1' }] }, 'te is a field of the protocol'],
    [{ trailers: [{ name: 'keep-alive' }] }, expect.stringContaining('keep-alive cannot be set')],
    [{ headers: [{ name: 'etag' }, { name: 'etag' }] }, expect.stringContaining('more than once')],
    [{ fault: 'go-away' }, expect.stringMatching(/^there is no fault go-away; there are goaway, /)],
  ])('refuses %j', async (request, text) => {
    expect(await call(session, respond, request)).toMatchObject({
      messages: [],
      status: '3',
      text,
    });
  });
});

test('Respond counts binary metadata as it is sent', async () => {
  const headers = [{ name: 'A-Bin', binary: Buffer.alloc(25_000) }];
  const { status, text } = await call(session, 'wirebin.v1.Wirebin/Respond', { headers });
  expect([status, text]).toEqual(['3', expect.stringContaining('the maximum is 32768')]);
});

describe('Stream', () => {
  const path = 'wirebin.v1.Wirebin/Stream';

  test.each([
    [{ pause_ms: -6000, interval_ms: 3000 }],
    [{ count: 0, pause_ms: 1 }, { pause_ms: 300_000 }],
  ])('refuses waits: %j', async (...requests) => {
    expect(await call(session, path, requests)).toMatchObject({ messages: [], status: '3' });
  });

  test('responds to each message', async () => {
    const requests = [{ payload: Buffer.from('abc') }, { count: 2, size: 1 }, { count: 0 }];
    const { messages, status } = await call(session, path, requests);
    expect(messages).toMatchObject([
      { request: 1n, number: 1n, received_bytes: 3n },
      { request: 2n, number: 2n, payload: Buffer.alloc(1) },
      { request: 2n, number: 3n },
    ]);
    expect(status).toBe('0');
  });

  test('says what waits to be read', async () => {
    const payload = Buffer.alloc(1000);
    const { messages } = await call(session, path, [{ pause_ms: 100 }, { payload }, { payload }]);
    const unread = (messages as { unread_bytes?: bigint }[]).map((each) => each.unread_bytes);
    expect(unread[1]).toBeGreaterThan(1000n);
    expect(unread[2]).toBeUndefined();
  });

  test('says for how long it has waited for the client', async () => {
    const { stream, send, receive } = converse(session, path);
    stream.pause();
    send({ count: 10, size: 100_000 });
    send({});
    stream.end();
    await new Promise((resolve) => setTimeout(resolve, 300));
    stream.resume();
    const told: { waited_ms?: number; queued_bytes?: bigint }[] = [];
    for (let at = 0; at < 11; at++) told.push((await receive()) as (typeof told)[number]);
    expect(told.at(-1)?.waited_ms).toBeGreaterThan(100);
    expect(told.some(({ queued_bytes: queued = 0n }) => queued > 0n)).toBe(true);
  });
});
