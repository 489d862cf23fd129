import pino from 'pino';
import type { Credentials } from '../src/net/tls-server.ts';
import { loadCredentials } from '../src/service/tls.ts';
import type { Limits } from '../src/server/limits.ts';
import { limitsOf } from '../src/service/limits.ts';
import { Service } from '../src/service/service.ts';
import { createTrace } from '../src/telemetry/trace.ts';
import { H2_ENGINE } from './_engine.ts';
import { INSPECTED } from './_inspected.ts';
import { closedAfterFile } from './_opened.ts';
import { readSettings } from './_settings.ts';

export interface Running {
  readonly port: number;
  readonly service: Service;
  /** Lines logged so far, parsed. */
  readonly logged: Record<string, unknown>[];
}

/** Of a command line, or limits that no command line can ask for, such as milliseconds. */
export type Argument = string | readonly string[] | Partial<Limits>;

/** Those of all services of a process that are given none. */
let credentials: Promise<Credentials> | undefined;

/**
 * A service on a free loopback port, with the given command line and limits. It is closed after the tests of
 * the file.
 */
export async function startService(...args: readonly Argument[]): Promise<Running> {
  const all = args.flat();
  const words = all.filter((arg) => typeof arg === 'string');
  if (INSPECTED) words.push('--inspect');
  if (!words.some((word) => word.startsWith('--h2-engine'))) words.push(`--h2-engine=${H2_ENGINE}`);
  const settings = readSettings(['--port', '0', '--host', '127.0.0.1', ...words]);
  const logged: Record<string, unknown>[] = [];
  const log = pino(
    { level: settings.logLevel, base: null },
    { write: (line: string) => logged.push(JSON.parse(line) as Record<string, unknown>) },
  );
  const given = all.filter((arg) => typeof arg === 'object');
  const limits: Limits = Object.assign({}, limitsOf(settings), ...given);
  const isOwn = settings.tlsCert !== undefined || settings.tlsCa !== undefined;
  const service = await Service.create(settings, log, {
    limits,
    observer: createTrace(log),
    credentials: await (isOwn
      ? loadCredentials(settings)
      : (credentials ??= loadCredentials(settings))),
  });
  const { port } = await service.listen();
  return { port, service: closedAfterFile(service), logged };
}
