import { afterAll, beforeAll, describe } from 'vitest';
import { openClient, transports, type Client, type Transport } from './_client.ts';
import { startService, type Argument, type Running } from './_service.ts';

export interface Place {
  readonly transport: Transport;
  /** A connection to a service that the tests of this transport share. */
  readonly client: () => Client;
  readonly running: () => Running;
}

/** The same tests over every transport, against one service each. */
export function everywhere(tests: (place: Place) => void, ...args: Argument[]): void {
  over(transports, tests, args);
}

/**
 * Tests of what is decided above the protocols, such as what an endpoint makes of its parameters: over
 * HTTP/1.1 in cleartext alone. test/endpoints/all.test.ts asks every endpoint over all four transports.
 */
export function overOneProtocol(tests: (place: Place) => void, ...args: Argument[]): void {
  over(['http/1.1'], tests, args);
}

/**
 * The same tests over HTTP/1.1 in cleartext and HTTP/2 over TLS: enough for what both protocols
 * could alter, but not how they combine with TLS.
 */
export function overBothProtocols(tests: (place: Place) => void, ...args: Argument[]): void {
  over(['http/1.1', 'h2'], tests, args);
}

/** The same, but both protocols at once: for tests that mostly wait. */
export function overBothProtocolsAtOnce(tests: (place: Place) => void, ...args: Argument[]): void {
  for (const transport of ['http/1.1', 'h2'] as const) {
    describe.concurrent(`over ${transport}`, () => {
      describe.sequential('one by one', () => tests(sharedService(transport, ...args)));
    });
  }
}

function over(
  chosen: readonly Transport[],
  tests: (place: Place) => void,
  args: readonly Argument[],
): void {
  for (const transport of chosen) {
    describe(`over ${transport}`, () => tests(sharedService(transport, ...args)));
  }
}

/** A service for the tests of a group, and a client of it. */
export function sharedService(transport: Transport, ...args: Argument[]): Place {
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
  return { transport, client: () => present(client), running: () => present(running) };
}

function present<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('the service has not started');
  return value;
}
