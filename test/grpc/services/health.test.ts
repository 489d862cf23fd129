import { once } from 'node:events';
import { expect, test } from 'vitest';
import { startService } from '../../_service.ts';
import { openSession } from '../_call.ts';
import { call, converse } from '../_client.ts';

const SERVING = { status: 1 };
const NOT_SERVING = { status: 2 };
const CHECK = 'grpc.health.v1.Health/Check';
const WATCH = 'grpc.health.v1.Health/Watch';

test('Check and List follow readiness', async () => {
  const { port, service } = await startService();
  const session = openSession(port);
  for (const name of ['', 'grpcbin.GRPCBin']) {
    expect((await call(session, CHECK, { service: name })).messages).toEqual([SERVING]);
  }
  service.setReady(false);
  expect((await call(session, CHECK)).messages).toEqual([NOT_SERVING]);
  const { messages } = await call(session, 'grpc.health.v1.Health/List');
  const statuses = new Map([
    ['', NOT_SERVING],
    ['grpc.health.v1.Health', NOT_SERVING],
  ]);
  expect(messages).toEqual([{ statuses: expect.objectContaining({}) }]);
  const [{ statuses: listed }] = messages as [{ statuses: Map<string, unknown> }];
  for (const [name, status] of statuses) expect(listed.get(name)).toEqual(status);
});

test('an unknown service', async () => {
  const { port } = await startService();
  const session = openSession(port);
  const unknown = { service: 'a.B' };
  expect(await call(session, CHECK, unknown)).toMatchObject({
    messages: [],
    status: '5',
    text: 'there is no service a.B',
  });
  const { send, receive, stream } = converse(session, WATCH);
  send(unknown);
  stream.end();
  expect(await receive()).toEqual({ status: 3 });
  stream.close();
});

test('Watch tells changes, and ends when the service drains', async () => {
  const { port, service } = await startService();
  const { send, receive, stream } = converse(openSession(port), WATCH);
  let trailers: Record<string, unknown> = {};
  stream.on('trailers', (got) => (trailers = got));
  send({});
  stream.end();
  expect(await receive()).toEqual(SERVING);
  service.setReady(false);
  expect(await receive()).toEqual(NOT_SERVING);
  service.setReady(true);
  expect(await receive()).toEqual(SERVING);
  const closed = once(stream, 'close');
  service.markNotReady();
  expect(await receive()).toEqual(NOT_SERVING);
  await closed;
  expect(trailers).toMatchObject({ 'grpc-status': '14', 'grpc-message': 'draining' });
});
