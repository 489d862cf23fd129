import type { DialectName } from '../../src/server/dialect.ts';
import type { Client } from '../_client.ts';
import { sharedPlace } from '../_everywhere.ts';

/** A client of a service with the dialect, for all tests of a file. */
export function inDialect(name: DialectName, ...args: string[]): () => Client {
  return sharedPlace('http/1.1', '--dialect', name, ...args).client;
}
