import { afterAll, beforeAll } from 'vitest';
import { startService, type Argument, type Running } from '../_service.ts';

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
