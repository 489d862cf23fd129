import { afterAll, beforeAll, describe } from 'vitest';
import { openClient, transports, type Client } from './_client.ts';
import { startService, type Running } from './_service.ts';

export interface Place {
  readonly transport: Client['transport'];
  /** A connection to a service that the tests of this transport share. */
  readonly client: () => Client;
  readonly running: () => Running;
}

/** The same tests over every transport, against one service each. */
export function everywhere(tests: (place: Place) => void, ...args: string[]): void {
  for (const transport of transports) {
    describe(`over ${transport}`, () => {
      let running: Running | undefined;
      let client: Client | undefined;
      beforeAll(async () => {
        running = await startService(...args);
        client = openClient(transport, running.port);
      });
      afterAll(() => {
        client?.close();
        running?.service.close();
      });
      tests({ transport, client: () => present(client), running: () => present(running) });
    });
  }
}

function present<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('the service has not started');
  return value;
}
