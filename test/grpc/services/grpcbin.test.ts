import { beforeAll, expect, test } from 'vitest';
import type { ClientHttp2Session } from 'node:http2';
import { sharedService } from '../../_shared.ts';
import { openSession } from '../_call.ts';
import { call, converse } from '../_client.ts';

const running = sharedService();
let session: ClientHttp2Session;
beforeAll(() => {
  session = openSession(running().port);
});

const DUMMY = {
  f_string: 'é',
  f_int32: -1,
  f_enums: [0, 2],
  f_subs: [{}, { f_string: 'a' }],
  f_int64: -(2n ** 63n),
  f_bytes: Buffer.from([0, 255]),
  f_floats: [0.5],
};

test('Index names all methods', async () => {
  const { messages } = await call(session, 'grpcbin.GRPCBin/Index');
  const [{ description, endpoints }] = messages as [{ description: string; endpoints: unknown[] }];
  expect(description).toBe('gRPC testing server');
  expect(endpoints).toHaveLength(10);
});

test.each([
  ['Empty', {}, [{}]],
  ['DummyUnary', DUMMY, [DUMMY]],
  ['DummyClientStream', [{}, DUMMY], [DUMMY]],
  [
    'DummyClientStream',
    Array.from({ length: 20 }, (_, f_int32) => ({ f_int32 })),
    [{ f_int32: 9 }],
  ],
  ['DummyBidirectionalStreamStream', [DUMMY, {}], [DUMMY, {}]],
  ['SpecificError', {}, [{}]],
  ['NoResponseUnary', {}, []],
])('%s', async (name, requests, messages) => {
  const result = await call(session, `grpcbin.GRPCBin/${name}`, requests);
  expect(result).toMatchObject({ status: '0', messages });
});

test('DummyServerStream sends the message again and again', async () => {
  const { send, receive, stream } = converse(session, 'grpcbin.GRPCBin/DummyServerStream');
  send({ f_string: 'a' });
  stream.end();
  expect(await receive()).toEqual({ f_string: 'a' });
  expect(await receive()).toEqual({ f_string: 'a' });
  stream.close();
});

test.each([
  [{ code: 5, reason: 'not here' }, '5', 'not here'],
  [{ code: 16 }, '16', 'UNAUTHENTICATED'],
  [{ code: 77 }, '77', ''],
])('SpecificError with %j', async (request, status, text) => {
  expect(await call(session, 'grpcbin.GRPCBin/SpecificError', request)).toMatchObject({
    messages: [],
    status,
    text,
  });
});

test('RandomError has any status', async () => {
  const { status } = await call(session, 'grpcbin.GRPCBin/RandomError');
  expect(Number(status)).toBeLessThanOrEqual(15);
});

test('HeadersUnary tells metadata', async () => {
  const fields = { a: ['1', '2'], 'b-bin': 'AAEC' };
  const { messages } = await call(session, 'grpcbin.GRPCBin/HeadersUnary', {}, fields);
  const [{ Metadata }] = messages as [{ Metadata: Map<string, unknown> }];
  expect(Metadata.get('a')).toEqual({ values: ['1', '2'] });
  expect(Metadata.get('b-bin')).toEqual({ values: ['AAEC'] });
});
