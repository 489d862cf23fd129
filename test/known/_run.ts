import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Installation } from '../_process.ts';
import { startConfigured } from '../proxies/_configured.ts';
import { Directory, pathsOf, type ProxyProcess } from '../proxies/_proxy-process.ts';
import { freePorts } from '../_system.ts';
import { untilServed } from '../recipes/_client.ts';
import type { KnownProxy } from './_known-proxy.ts';
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

/** Characters of the end of a report that a failed run shows. */
const MAX_END = 1000;

/** What is other than in the run that is recorded. */
interface Other {
  /** Changes the configuration. */
  readonly edit?: (text: string) => string;
  /** Globs of checks. */
  readonly only?: readonly string[];
}

/** Runs `wirebin check` through a proxy to a wirebin of its own. @returns the JSON report */
export async function check(
  proxy: KnownProxy,
  { path }: Found,
  installation: Installation,
  { edit, only = [] }: Other = {},
): Promise<string> {
  const { isCleartext = false } = proxy;
  const origin = installation.run([
    '--port=0',
    '--host=127.0.0.1',
    '--allow-raw',
    '--websocket-deflate',
  ]);
  const directory = new Directory();
  let running: ProxyProcess | undefined;
  try {
    await origin.listens();
    const [own = 0, second = 0] = await freePorts(2);
    const ports = new Map([
      [8443, own],
      [8444, second],
      [8080, origin.port],
    ]);
    running = await startConfigured(proxy, {
      folder: folderOf(proxy),
      ports,
      path,
      ...(edit && { edit }),
    });
    await untilServed(own, !isCleartext);
    const report = join(directory.path, 'report.json');
    const client = installation.run([
      'check',
      `${isCleartext ? 'http' : 'https'}://proxy.example:${own}`,
      '--resolve=127.0.0.1',
      '--insecure',
      '--yes',
      `--origin=http://127.0.0.1:${origin.port}`,
      '--destructive',
      '--rate=500',
      `--report=json=${report}`,
      ...only.map((glob) => `--only=${glob}`),
    ]);
    const code = await client.exit;
    if (code !== 0 && code !== 1 && code !== 4) {
      throw new Error(
        `wirebin check ended with ${code}: ${client.stderr}${client.stdout.slice(-MAX_END)}`,
      );
    }
    return readFileSync(report, 'utf8');
  } finally {
    await running?.close();
    directory.remove();
    origin.child.kill();
    await origin.exit;
  }
}
