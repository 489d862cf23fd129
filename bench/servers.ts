import type { ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { makeCredentials } from '../src/net/certificates.ts';
import { announcement, start, stop } from './processes.ts';
import type { Protocol, Scenario } from './scenarios.ts';

/** A directory for one run, and in it the certificate that every server of the run uses. */
export interface Workspace {
  readonly directory: string;
  readonly certFile: string;
  readonly keyFile: string;
}

/** The directory goes when the process ends. */
export async function makeWorkspace(): Promise<Workspace> {
  const directory = mkdtempSync(join(tmpdir(), 'wirebin-bench-'));
  process.on('exit', () => rmSync(directory, { recursive: true, force: true }));
  const { cert, key } = await makeCredentials(Date.now());
  const [certFile, keyFile] = [join(directory, 'bench.crt'), join(directory, 'bench.key')];
  writeFileSync(certFile, cert);
  writeFileSync(keyFile, key, { mode: 0o600 });
  return { directory, certFile, keyFile };
}

/** A server that runs and can be measured. */
export interface Server {
  readonly name: string;
  readonly pid: number;
  readonly ports: Partial<Record<Protocol, number>>;
  /** The path that stands for the scenario's, undefined where it has none such. */
  pathOf(scenario: Scenario): string | undefined;
  stop(): Promise<void>;
}

interface Description extends Pick<Server, 'name' | 'ports'>, Partial<Pick<Server, 'pathOf'>> {
  readonly child: ChildProcess;
}

/** A server of the process; without more said it has every path under its own name. */
export function serverOf({ child, pathOf = ({ path }) => path, ...rest }: Description): Server {
  if (child.pid === undefined) throw new Error(`${rest.name} has no process`);
  return { ...rest, pid: child.pid, pathOf, stop: () => stop(child) };
}

/** A file of the repository. */
export function repository(file: string): string {
  return fileURLToPath(new URL(`../../${file}`, import.meta.url));
}

/** A program of this folder, compiled. */
export function compiled(file: string): string {
  return fileURLToPath(new URL(file, import.meta.url));
}

/** @param given `delay` is in microseconds: how long each request is held up, to see what measures it */
export function startWirebin(
  workspace: Workspace,
  given: { readonly name?: string; readonly delay?: number; readonly settings?: readonly string[] },
): Promise<Server> {
  const { name = 'wirebin', delay = 0, settings = [] } = given;
  process.env['BENCH_DELAY'] = String(delay);
  const slowed = delay > 0 ? ['--import', compiled('slowed.js')] : [];
  return startMain(name, workspace, [...slowed, repository('dist/main.js')], settings);
}

/** Starts a wirebin. @param command its `main.js`, after options for Node */
export async function startMain(
  name: string,
  { certFile, keyFile }: Workspace,
  command: readonly string[],
  settings: readonly string[] = [],
): Promise<Server> {
  const tls = [`--tls-cert=${certFile}`, `--tls-key=${keyFile}`];
  const args = [...command, '--port=0', '--host=127.0.0.1', ...tls, ...settings];
  const child = start(process.execPath, args);
  const { port = 0 } = (await announcement(child)) as { readonly port?: number };
  return serverOf({
    name,
    child,
    ports: { 'http/1.1': port, 'https/1.1': port, h2c: port, h2: port },
  });
}

/** A server of bare.ts, which announces its ports. */
export async function startBare({ certFile, keyFile }: Workspace): Promise<Server> {
  const child = start(process.execPath, [compiled('bare.js'), certFile, keyFile]);
  const ports = (await announcement(child)) as Server['ports'];
  return serverOf({ name: 'bare Node', child, ports });
}
