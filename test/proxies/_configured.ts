import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import {
  Directory,
  pathOf,
  startProxy,
  writeCertificate,
  type Program,
  type ProxyProcess,
} from './_proxy-process.ts';

/** A program of a proxy, whose current directory has the configuration and the certificate. */
export interface Command {
  readonly program: Program;
  /** @param directory the current directory, for programs that want an absolute path */
  readonly args: (directory: string) => readonly string[];
  /** Where it listens, as in the configuration. */
  readonly ports: readonly number[];
  /** The arguments with which it compiles `proxy`, which then runs in its place. */
  readonly compile?: readonly string[];
}

/** A proxy with its configuration in docs/. */
export interface ConfiguredProxy {
  /** Files of its folder. */
  readonly configuration: readonly string[];
  /** In the order in which they are started. */
  readonly commands: readonly [Command, ...Command[]];
  /** The user that the proxy becomes if root starts it, and to whom its directory then belongs. */
  readonly user?: string;
}

/** Arguments that only root needs. */
function asRoot(...args: readonly string[]): readonly string[] {
  return process.getuid?.() === 0 ? args : [];
}

// Each function gives the command of a program that stays in the foreground, by the ports of its configuration.

/** Debian's nginx would start its workers as a user who cannot write to the directory. */
export function nginx(...ports: readonly number[]): Command {
  return {
    program: 'nginx',
    ports,
    args: (directory) =>
      ['-e', 'stderr', '-p', directory, '-c', 'nginx.conf'].concat(asRoot('-g', 'user root;')),
  };
}

export function haproxy(...ports: readonly number[]): Command {
  return { program: 'haproxy', ports, args: () => ['-db', '-f', 'haproxy.cfg'] };
}

export function caddy(...ports: readonly number[]): Command {
  const args = ['run', '--adapter', 'caddyfile', '--config', 'Caddyfile'];
  return { program: 'caddy', ports, args: () => args };
}

export function envoy(...ports: readonly number[]): Command {
  const flags = ['--concurrency', '1', '--use-dynamic-base-id', '--log-level', 'error'];
  return { program: 'envoy', ports, args: () => ['--config-path', 'envoy.yaml', ...flags] };
}

export function traefik(...ports: readonly number[]): Command {
  return { program: 'traefik', ports, args: () => ['--configFile=traefik.yaml'] };
}

/** The compiler, and what it makes of a program that needs nothing but the standard library. */
export function go(...ports: readonly number[]): Command {
  return { program: 'go', ports, compile: ['build', '-o', 'proxy', 'main.go'], args: () => [] };
}

/** @param options where it listens, and parameters */
export function varnish(options: readonly string[], ...ports: readonly number[]): Command {
  return {
    program: 'varnishd',
    ports,
    args: (directory) =>
      ['-F', '-j', 'none', '-n', `${directory}/varnish`, '-f', `${directory}/default.vcl`]
        .concat(options)
        .concat('-p', 'feature=+http2', '-s', 'default,32M'),
  };
}

export function hitch(...ports: readonly number[]): Command {
  return {
    program: 'hitch',
    ports,
    args: () => ['--config=hitch.conf', ...asRoot('--user=_hitch')],
  };
}

/** Where a configured proxy runs. */
export interface Place {
  /** The folder of the configuration. */
  readonly folder: string;
  /** The ports to use in place of those in the configuration, which have four digits. */
  readonly ports: ReadonlyMap<number, number>;
  /** Of the first program, if it is not the first of its name. */
  readonly path?: string;
  /** Changes the text of the configuration, and of the command lines, with the ports that it has there. */
  readonly edit?: (text: string) => string;
}

/** Starts a proxy in a directory of its own, with a certificate for proxy.example. */
export async function startConfigured(
  { configuration, commands, user }: ConfiguredProxy,
  { folder, ports, path, edit = (text) => text }: Place,
): Promise<ProxyProcess> {
  const placed = (text: string): string =>
    edit(text).replaceAll(/\b\d{4}\b/g, (port) => String(ports.get(Number(port)) ?? port));
  const directory = new Directory();
  const processes: ProxyProcess[] = [];
  const close = async (): Promise<void> => {
    for (const each of processes.toReversed()) await each.close();
    directory.remove();
  };
  try {
    await writeCertificate(directory);
    for (const name of configuration) {
      directory.write(name, placed(readFileSync(join(folder, name), 'utf8')));
    }
    if (user !== undefined && process.getuid?.() === 0) {
      await promisify(execFile)('chown', ['-R', user, directory.path]);
    }
    for (const [at, { program, args, ports: own, compile }] of commands.entries()) {
      const cwd = directory.path;
      const found = at === 0 && path !== undefined ? path : pathOf(program);
      if (compile && found !== undefined) await promisify(execFile)(found, compile, { cwd });
      const runs = compile ? join(cwd, 'proxy') : found;
      const place = { cwd, ...(runs !== undefined && { path: runs }) };
      const words = args(directory.path).map(placed);
      const listening = own.map((port) => ports.get(port) ?? port);
      processes.push(await startProxy(program, words, listening, place));
    }
    return { close };
  } catch (error) {
    await close();
    throw error;
  }
}
