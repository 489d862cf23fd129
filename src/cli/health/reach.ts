import type { Start } from './running.ts';

/** Settings by which a service can be reached, as text; undefined for defaults. */
export interface Reach {
  readonly port: number;
  readonly host: string | undefined;
  /** Comma-separated transports. */
  readonly transports: string | undefined;
  readonly proxyProtocol: string | undefined;
  readonly pathPrefix: string | undefined;
  readonly clientCert: string | undefined;
  readonly tlsMin: string | undefined;
  readonly tlsMax: string | undefined;
  readonly tlsCiphers: string | undefined;
}

const DEFAULT_PORT = 8080;

/**
 * Reads the settings by which a running service can be reached. They are not validated, because the service has
 * accepted them. The table of settings is not used: loading it takes as much CPU time as the rest of a health check.
 */
export function reachOf({ args, environment }: Start): Reach {
  const text = (flag: string): string | undefined =>
    lastValue(args, flag) ?? (environment[variableOf(flag)] || undefined);
  const port = text('port');
  return {
    // A URL is ignored: Kubernetes sets WIREBIN_PORT to one for a Service named wirebin.
    port: port === undefined || port.includes(':') ? DEFAULT_PORT : Number(port),
    host: text('host'),
    transports: text('transports'),
    proxyProtocol: text('proxy-protocol'),
    pathPrefix: text('path-prefix'),
    clientCert: text('client-cert'),
    tlsMin: text('tls-min'),
    tlsMax: text('tls-max'),
    tlsCiphers: text('tls-ciphers'),
  };
}

/** The last value of a flag. A flag cannot be mistaken for a value: those with a leading dash follow `=`. */
function lastValue(args: readonly string[], flag: string): string | undefined {
  const pattern = new RegExp(flag === 'port' ? `^(?:--port=|-p=?)(.+)$` : `^--${flag}=(.*)$`, 's');
  const isFlag = (arg: string | undefined): boolean =>
    arg === `--${flag}` || (flag === 'port' && arg === '-p');
  return args.reduce<string | undefined>((found, arg, index) => {
    if (isFlag(args[index - 1])) return arg;
    return pattern.exec(arg)?.[1] ?? found;
  }, undefined);
}

function variableOf(flag: string): string {
  return `WIREBIN_${flag.replaceAll('-', '_').toUpperCase()}`;
}
