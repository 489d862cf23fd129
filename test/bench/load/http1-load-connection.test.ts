import type { Socket } from 'node:net';
import { once } from 'node:events';
import { expect, test } from 'vitest';
import {
  Http1LoadConnection,
  prepareHttp1,
} from '../../../src/bench/load/http1-load-connection.ts';
import { until } from '../../_adapters.ts';
import { openTo } from './_opened.ts';
import { REQUEST } from './_request.ts';

/** Connects to a server that does this with the connection. */
async function open(onConnection: (server: Socket) => void) {
  const { input, socket, opened } = await openTo(onConnection);
  return { connection: new Http1LoadConnection(opened, input), socket };
}

/** Sends a request to a server that responds like this. */
async function send(respond: (server: Socket, client: Socket) => void) {
  const { connection, socket } = await open((server) => {
    server.once('data', () => respond(server, socket));
  });
  const failure = await new Promise(
    (resolve) => void connection.send(prepareHttp1(REQUEST), resolve),
  );
  return { connection, socket, failure };
}

test('a connection that the server has said to close, and keeps open, is closed', async () => {
  const { connection, socket, failure } = await send((server) =>
    server.write('HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 0\r\n\r\n'),
  );
  expect(failure).toBeUndefined();
  expect(connection.isOpen).toBe(false);
  await once(socket, 'close');
});

test('content without a length is not complete when the connection is reset', async () => {
  const { failure } = await send((server, client) => {
    server.write('HTTP/1.1 200 OK\r\n\r\nab');
    void until(() => client.bytesRead > 0).then(() => server.resetAndDestroy());
  });
  expect(failure).toBe('connection reset');
});

test('content without a length is complete when the server closes the connection', async () => {
  const { failure } = await send((server) => server.end('HTTP/1.1 200 OK\r\n\r\nab'));
  expect(failure).toBeUndefined();
});

test('a response that comes before a request is not that to the next one', async () => {
  const { connection, socket } = await open((server) => server.write('HTTP/1.1 200 O'));
  await once(socket, 'close');
  expect(connection.isOpen).toBe(false);
});
