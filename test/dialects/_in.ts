import { afterAll, beforeAll } from 'vitest';
import type { DialectName } from '../../src/server/dialect.ts';
import { openClient, type Client } from '../_client.ts';
import { startService, type Running } from '../_service.ts';

/** A client of a service with the dialect, for all tests of a file. */
export function inDialect(name: DialectName, ...args: string[]): () => Client {
  let running: Running | undefined;
  let client: Client | undefined;
  beforeAll(async () => {
    running = await startService('--dialect', name, ...args);
    client = openClient('http/1.1', running.port);
  });
  afterAll(() => {
    client?.close();
    running?.service.close();
  });
  return () => {
    if (!client) throw new Error('the service has not started');
    return client;
  };
}
