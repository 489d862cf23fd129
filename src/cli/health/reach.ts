import type { Start } from './running.ts';

/** How a service can be asked, as its settings have it: texts, undefined for the default. */
export interface Reach {
  readonly port: number;
  readonly host: string | undefined;
  /** Comma-separated. */
  readonly transports: string | undefined;
  readonly proxyProtocol: string | undefined;
  readonly clientCert: string | undefined;
  readonly tlsMin: string | undefined;
  readonly tlsMax: string | undefined;
  readonly tlsCiphers: string | undefined;
}

const DEFAULT_PORT = 8080;

/**
 * Reads what the service has accepted, so nothing is checked. The table of settings is not used: loading it
 * takes as much CPU as all else that a health check does.
 */
export function reachOf({ args, environment }: Start): Reach {
  const text = (flag: string): string | undefined =>
    lastValue(args, flag) ?? (environment[variableOf(flag)] || undefined);
  const port = text('port');
  return {
    // Kubernetes sets WIREBIN_PORT to a URL if a Service has this name; wirebin ignores it.
    port: port === undefined || port.includes(':') ? DEFAULT_PORT : Number(port),
    host: text('host'),
    transports: text('transports'),
    proxyProtocol: text('proxy-protocol'),
    clientCert: text('client-cert'),
    tlsMin: text('tls-min'),
    tlsMax: text('tls-max'),
    tlsCiphers: text('tls-ciphers'),
  };
}

/** An argument of its own cannot be mistaken for a value: those that begin with a dash follow `=`. */
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
