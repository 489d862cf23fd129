import pino from 'pino';
import { readInvocation } from '../src/command-line.ts';
import type { Settings } from '../src/config.ts';
import { Service } from '../src/service.ts';

export interface Running {
  readonly port: number;
  readonly service: Service;
  /** Lines logged so far, parsed. */
  readonly logged: Record<string, unknown>[];
}

/** A service on a free loopback port, with the given command line. */
export async function startService(...args: string[]): Promise<Running> {
  const invocation = readInvocation(['--port', '0', '--host', '127.0.0.1', ...args], {});
  if (invocation.command !== 'serve') throw new Error('the arguments start no service');
  const settings: Settings = invocation.settings;
  const logged: Record<string, unknown>[] = [];
  const log = pino(
    { level: settings.logLevel, base: null },
    { write: (line: string) => logged.push(JSON.parse(line) as Record<string, unknown>) },
  );
  const service = await Service.create(settings, log);
  const { port } = await service.listen();
  return { port, service, logged };
}
