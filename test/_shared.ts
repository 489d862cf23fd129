import type { Socket } from 'node:net';
import { afterAll, beforeAll } from 'vitest';
import type { TcpConnection } from '../src/net/tcp-connection.ts';
import { until, type Adapters, type Held } from './_adapters.ts';
import { startService, type Argument, type Running } from './_service.ts';

type Places = readonly (readonly [name: string, alpn: string[] | undefined])[];

/** In cleartext and over TLS, with the ALPN list of the client. */
export const HTTP1: Places = [
  ['cleartext', undefined],
  ['over TLS', ['http/1.1']],
];
export const HTTP2: Places = [
  ['cleartext', undefined],
  ['over TLS', ['h2']],
];

/** Starts a service for a group of tests. */
export function sharedService(...args: readonly Argument[]): () => Running {
  let running: Running;
  beforeAll(async () => {
    running = await startService(...args);
  });
  afterAll(() => running.service.close());
  return () => running;
}

/** Waits for the next request to /hold, and takes it out of those that are held. */
export async function nextHeld({ held }: Adapters): Promise<Held> {
  await until(() => held.length > 0);
  const [next] = held.splice(0, 1);
  if (!next) throw new Error('no request is held');
  return next;
}

/** Waits for the service's side of a client's connection. */
export async function connectionOf(
  { listener: { connections } }: Pick<Adapters, 'listener'>,
  { localPort }: Socket,
): Promise<TcpConnection> {
  const find = () => [...connections].find(({ remotePort }) => remotePort === localPort);
  await until(() => find() !== undefined);
  const connection = find();
  if (!connection) throw new Error('there is no connection');
  return connection;
}
