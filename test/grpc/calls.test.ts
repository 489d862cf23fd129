import { once } from 'node:events';
import { beforeAll, describe, expect, test } from 'vitest';
import type { ClientHttp2Session } from 'node:http2';
import { openClient } from '../_client.ts';
import { startService } from '../_service.ts';
import { sharedService } from '../_shared.ts';
import { beginCall, callWith, ended, openSession, prefixed } from './_call.ts';
import { call } from './_client.ts';
import { bytes, number } from './_protobuf.ts';
import { SettingsError } from '../../src/settings/settings-error.ts';

const EMPTY_CALL = '/grpc.testing.TestService/EmptyCall';

describe.each([
  ['h2c', false],
  ['h2', true],
])('over %s', (_, isSecure) => {
  const running = sharedService();
  let session: ClientHttp2Session;
  beforeAll(() => {
    session = openSession(running().port, isSecure);
  });

  test('a unary call', async () => {
    const { headers, frames, trailers } = await callWith(session, EMPTY_CALL, ['']);
    expect(headers).toMatchObject({ ':status': 200, 'content-type': 'application/grpc' });
    expect(headers).not.toHaveProperty('grpc-status');
    expect(frames).toEqual([[0, Buffer.alloc(0)]]);
    expect(trailers['grpc-status']).toBe('0');
  });

  test.each([
    ['application/grpc+proto', 200, '0'],
    ['Application/GRPC', 200, '0'],
    ['application/grpc;charset=utf-8', 200, '0'],
    ['application/grpc+json', 415, '2'],
    ['application/grpcx', 415, '2'],
    ['application/json', 415, '2'],
  ])('content type %s', async (type, status, code) => {
    const sent = { 'content-type': type };
    const { headers, trailers } = await callWith(session, EMPTY_CALL, [''], sent);
    expect(headers[':status']).toBe(status);
    expect(trailers['grpc-status']).toBe(code);
  });

  test.each(['/grpc.testing.TestService/Missing', '/missing.Service/EmptyCall', '/a'])(
    '%s is unimplemented, in the header section alone',
    async (path) => {
      for (const type of ['application/grpc', 'Application/GRPC']) {
        const { headers } = await callWith(session, path, [''], { 'content-type': type });
        expect(headers).toMatchObject({ ':status': 200, 'grpc-status': '12' });
      }
    },
  );

  test('another method than POST', async () => {
    const get = { ':method': 'GET' };
    const { headers } = await callWith(session, EMPTY_CALL, [], get);
    expect(headers).toMatchObject({ ':status': 405, allow: 'POST, OPTIONS' });
  });

  test.each([
    [[], 'the request has no message'],
    [['', ''], 'the request has more than one message'],
  ])('%j as messages of a unary call', async (messages, reason) => {
    const { headers } = await callWith(session, EMPTY_CALL, messages);
    expect(headers).toMatchObject({ 'grpc-status': '12', 'grpc-message': reason });
  });

  test.each([1, 4, 7])('a message that is cut after %i bytes', async (length) => {
    const stream = beginCall(session, EMPTY_CALL);
    const end = ended(stream);
    stream.end(prefixed('abcdef').subarray(0, length));
    expect((await end).headers['grpc-status']).toBe('13');
  });

  test('a message that is too long is refused before it has arrived', async () => {
    const stream = beginCall(session, EMPTY_CALL);
    const end = ended(stream);
    stream.write(Buffer.from([0, 0, 0x20, 0, 1]));
    const { headers, reset } = await end;
    expect(headers['grpc-status']).toBe('8');
    expect(reset).toBe(0);
  });

  test('a message in single bytes', async () => {
    const stream = beginCall(session, EMPTY_CALL);
    const end = ended(stream);
    for (const byte of prefixed('\n\x04abcd')) stream.write(Buffer.from([byte]));
    stream.end();
    expect((await end).trailers['grpc-status']).toBe('0');
  });
});

describe('in a dialect that has every path', () => {
  const running = sharedService('--dialect', 'gateway-api');

  test('methods come first, and the content of other requests is read as ever', async () => {
    const client = openClient('http/1.1', running().port);
    const headers = { 'Content-Type': 'application/grpc' };
    const body = Buffer.alloc(100_000);
    for (let request = 0; request < 3; request++) {
      const { status } = await client.request('/any', { method: 'POST', headers, body });
      expect(status).toBe(200);
    }
    const { trailers } = await callWith(openSession(running().port), EMPTY_CALL, ['']);
    expect(trailers['grpc-status']).toBe('0');
  });
});

describe('with --no-grpc', () => {
  const running = sharedService('--no-grpc');

  test('no path is a method', async () => {
    const session = openSession(running().port);
    const { headers } = await callWith(session, EMPTY_CALL, ['']);
    expect(headers).toMatchObject({ ':status': 404, 'content-type': 'application/problem+json' });
  });
});

test('a drain lets calls that are open end by themselves, and takes no new ones', async () => {
  const { port, service } = await startService('--drain-timeout=60');
  const session = openSession(port);
  const stream = beginCall(session, '/grpc.testing.TestService/FullDuplexCall');
  const end = ended(stream);
  stream.write(prefixed(bytes(2, number(1, 1))));
  await once(stream, 'data');
  const goaway = once(session, 'goaway');
  const drained = service.drain();
  await goaway;
  stream.end(prefixed(bytes(2, number(1, 2))));
  const { frames, trailers } = await end;
  expect(frames).toHaveLength(2);
  expect(trailers['grpc-status']).toBe('0');
  expect(await drained).toBe(0);
});

describe('methods and services that are disabled', () => {
  const own = '/grpc.reflection.v1.ServerReflection';
  const running = sharedService('--disable', `${EMPTY_CALL},${own}`);

  test('are unimplemented, and their other methods are not', async () => {
    const session = openSession(running().port);
    const unary = '/grpc.testing.TestService/UnaryCall';
    for (const [path, status] of [
      [EMPTY_CALL, '12'],
      [`${own}/ServerReflectionInfo`, '12'],
      [unary, '0'],
    ] as const) {
      const { headers, trailers } = await callWith(session, path, ['']);
      expect([path, { ...headers, ...trailers }['grpc-status']]).toEqual([path, status]);
    }
  });

  test('are neither listed nor described', async () => {
    const session = openSession(running().port);
    const path = 'grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo';
    const asked = [{ list_services: '' }, { file_containing_symbol: own.slice(1) }];
    const { messages } = await call(session, path, asked);
    const listed = JSON.stringify(messages[0]);
    expect(listed).toContain('grpc.testing.TestService');
    expect(listed).not.toContain(own.slice(1));
    expect(messages[1]).toMatchObject({ error_response: { error_code: 5 } });
  });

  // Without an option's name, because createService() has another: `disable`.
  test.each(['/grpc.testing.TestServise', `${EMPTY_CALL}s`])('%s is unknown', async (path) => {
    const error = new SettingsError(`no method of gRPC has the path ${path}`, 'disable');
    await expect(startService('--disable', path)).rejects.toThrow(error);
  });
});
