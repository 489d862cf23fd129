import type { Command, ConfiguredProxy } from '../proxies/_configured.ts';
import type { Program } from '../proxies/_proxy-process.ts';

/** A proxy whose verdicts docs/proxies/ has; it listens on port 8443, and wirebin is on port 8080. */
export interface KnownProxy extends ConfiguredProxy {
  /** The folder of docs/proxies/. */
  readonly name: string;
  /** As the tables call it. */
  readonly title: string;
  /** Of the first program. */
  readonly versionFlag: string;
  /** The versions that the configuration is for, if several can be installed. */
  readonly versions?: RegExp;
  /** It does not terminate TLS. */
  readonly isCleartext?: boolean;
}

/** A proxy of one program with one file of configuration. */
export function single(
  name: string,
  title: string,
  command: Command,
  versionFlag: string,
  file: string,
): KnownProxy {
  return { name, title, configuration: [file], commands: [command], versionFlag };
}

export function program(name: Program, ...args: readonly string[]): Command {
  return { program: name, ports: [8443], args: () => args };
}
