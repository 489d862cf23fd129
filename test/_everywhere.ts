import { beforeAll, describe } from 'vitest';
import { openClient, transports, type Client, type Transport } from './_client.ts';
import type { Argument, Running } from './_service.ts';
import { sharedService } from './_shared.ts';

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
      describe.sequential('one by one', () => tests(sharedPlace(transport, ...args)));
    });
  }
}

function over(
  chosen: readonly Transport[],
  tests: (place: Place) => void,
  args: readonly Argument[],
): void {
  for (const transport of chosen) {
    describe(`over ${transport}`, () => tests(sharedPlace(transport, ...args)));
  }
}

/** A service for the tests of a group, and a client of it. */
export function sharedPlace(transport: Transport, ...args: Argument[]): Place {
  const running = sharedService(...args);
  let client: Client;
  beforeAll(() => {
    client = openClient(transport, running().port);
  });
  return { transport, client: () => client, running };
}
