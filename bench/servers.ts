import type { ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Workspace } from './certificate.ts';
import type { BuiltCommit } from './commit.ts';
import { announcement, start, stop } from './processes.ts';
import type { Protocol, Scenario } from './scenarios.ts';

/** A server that runs and can be measured. */
export interface Server {
  readonly name: string;
  readonly pid: number;
  readonly ports: Partial<Record<Protocol, number>>;
  /** Whether its /bytes differ from answer to answer. */
  readonly isFresh: boolean;
  /** The path that stands for the scenario's, undefined where it has none such. */
  target(scenario: Scenario): string | undefined;
  stop(): Promise<void>;
}

interface Description extends Pick<Server, 'name' | 'ports'> {
  readonly child: ChildProcess;
  readonly isFresh?: boolean;
  readonly target?: (scenario: Scenario) => string | undefined;
}

/** A server of the process; without more said it has every path under its own name. */
export function serverOf({ child, isFresh = true, target, ...rest }: Description): Server {
  if (child.pid === undefined) throw new Error(`${rest.name} has no process`);
  return {
    ...rest,
    pid: child.pid,
    isFresh,
    target: target ?? (({ path }) => path),
    stop: () => stop(child),
  };
}

/** The path of a file beside this one. */
export function beside(file: string): string {
  return fileURLToPath(new URL(file, import.meta.url));
}

/**
 * @param delay microseconds each request is held up, to see what measures it
 * @param settings further flags
 */
export async function startWirebin(
  workspace: Workspace,
  delay = 0,
  ...settings: readonly string[]
): Promise<Server> {
  const slowed = delay > 0 ? ['--import', beside('./slowed.js')] : [];
  process.env['BENCH_DELAY'] = String(delay);
  const command = [...slowed, beside('../dist/main.js')];
  return serverOf(await startMain('wirebin', workspace, command, settings));
}

/** Another commit of wirebin, as the baseline. */
export async function startCommit(
  workspace: Workspace,
  { name, main }: BuiltCommit,
): Promise<Server> {
  return serverOf(await startMain(name, workspace, [main]));
}

async function startMain(
  name: string,
  { certFile, keyFile }: Workspace,
  command: readonly string[],
  settings: readonly string[] = [],
): Promise<Description> {
  const child = start('server', process.execPath, [
    ...command,
    '--port=0',
    '--host=127.0.0.1',
    `--tls-cert=${certFile}`,
    `--tls-key=${keyFile}`,
    ...settings,
  ]);
  const line = await announcement(child);
  const port = typeof line === 'object' && line !== null && 'port' in line ? Number(line.port) : 0;
  const ports = { 'http/1.1': port, 'https/1.1': port, h2c: port, h2: port };
  return { name, child, ports };
}

/** The baseline (bare.ts). */
export async function startBare({ certFile, keyFile }: Workspace): Promise<Server> {
  const child = start('server', process.execPath, [beside('./bare.js'), certFile, keyFile]);
  const ports = (await announcement(child)) as Partial<Record<Protocol, number>>;
  return serverOf({ name: 'bare Node', child, ports });
}
