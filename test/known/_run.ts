import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Installation } from '../_process.ts';
import {
  Directory,
  freePorts,
  pathsOf,
  startProxy,
  writeCertificate,
  type ProxyProcess,
} from '../proxies/_proxy-process.ts';
import type { KnownProxy } from './_proxies.ts';
import { folderOf } from './_records.ts';

/** A proxy that is installed. */
export interface Found {
  readonly path: string;
  readonly version: string;
}

/** The newest version that is installed and that the configuration is for. */
export function find({ commands, versionFlag, versions = /^/ }: KnownProxy): Found | undefined {
  const [{ program }, ...others] = commands;
  if (others.some((other) => pathsOf(other.program).length === 0)) return undefined;
  return pathsOf(program)
    .map((path) => {
      const { stdout, stderr } = spawnSync(path, [versionFlag], { encoding: 'utf8' });
      return { path, version: /\d+(?:\.\d+)+/.exec(stdout + stderr)?.[0] ?? 'unknown' };
    })
    .find(({ version }) => versions.test(version));
}

/** Ports in the configurations: of the proxy, of its second program, of wirebin. */
const PORTS = ['8443', '8444', '8080'] as const;

/** Runs `wirebin check` through a proxy to a wirebin of its own. @returns the JSON report */
export async function check(
  proxy: KnownProxy,
  { path }: Found,
  installation: Installation,
): Promise<string> {
  const origin = installation.run(['--port=0', '--host=127.0.0.1', '--allow-raw']);
  const directory = new Directory();
  const processes: ProxyProcess[] = [];
  try {
    await origin.listens();
    const [own = 0, second = 0] = await freePorts(2);
    const ports = [own, second, origin.port];
    const placed = (text: string): string =>
      PORTS.reduce((all, port, at) => all.replaceAll(port, String(ports[at])), text);
    await writeCertificate(directory);
    for (const name of proxy.configuration) {
      directory.write(name, placed(readFileSync(join(folderOf(proxy), name), 'utf8')));
    }
    for (const [at, { program, args, port }] of proxy.commands.entries()) {
      const place = { cwd: directory.path, ...(at === 0 && { path }) };
      const words = args(directory.path).map(placed);
      processes.push(await startProxy(program, words, [Number(placed(String(port)))], place));
    }
    const report = join(directory.path, 'report.json');
    const client = installation.run([
      'check',
      `https://proxy.example:${own}`,
      '--resolve=127.0.0.1',
      '--insecure',
      '--yes',
      `--origin=http://127.0.0.1:${origin.port}`,
      '--destructive',
      '--rate=500',
      `--report=json=${report}`,
    ]);
    const code = await client.exit;
    if (code !== 0 && code !== 1 && code !== 4) {
      throw new Error(`wirebin check ended with ${code}: ${client.stderr}`);
    }
    return readFileSync(report, 'utf8');
  } finally {
    for (const each of processes.toReversed()) await each.close();
    directory.remove();
    origin.child.kill();
    await origin.exit;
  }
}
