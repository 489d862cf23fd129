import { afterAll, beforeAll } from 'vitest';
import { startService, type Running } from '../_service.ts';
import { Directory, startProxy, type Program } from './_proxy-process.ts';
import { freePorts } from '../_system.ts';
import { startRelay, type Relay } from './_relay.ts';

export interface Behind {
  readonly running: () => Running;
  readonly relay: () => Relay;
  /** The proxy's ports, in the order in which the configuration was given them. */
  readonly ports: () => readonly number[];
}

export interface Given {
  readonly directory: Directory;
  /** Where the proxy finds wirebin. */
  readonly backend: number;
  readonly ports: readonly number[];
}

/**
 * Starts wirebin, a witness before it and a proxy before that, for the tests around the call.
 *
 * @param settings of wirebin
 * @param configure writes the configuration and gives the program's arguments
 */
export function behind(
  program: Program,
  portCount: number,
  settings: readonly string[],
  configure: (given: Given) => Promise<string[]> | string[],
): Behind {
  let running: Running | undefined;
  let relay: Relay | undefined;
  let ports: readonly number[] = [];
  const ending: (() => Promise<void> | void)[] = [];
  beforeAll(async () => {
    const service = await startService(...settings);
    running = service;
    ending.push(() => service.service.close());
    const witness = await startRelay(service.port);
    relay = witness;
    ending.push(() => witness.close());
    ports = await freePorts(portCount);
    const directory = new Directory();
    ending.push(() => directory.remove());
    const args = await configure({ directory, backend: witness.port, ports });
    const proxy = await startProxy(program, args, ports);
    ending.push(() => proxy.close());
  });
  afterAll(async () => {
    for (const end of ending.toReversed()) await end();
  });
  return {
    running: () => started(running),
    relay: () => started(relay),
    ports: () => ports,
  };
}

function started<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('it has not started');
  return value;
}
