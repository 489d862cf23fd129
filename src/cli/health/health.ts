import { setTimeout as pause } from 'node:timers/promises';
import { errorText } from '../../net/error-text.ts';
import type { Surroundings } from '../surroundings.ts';
import { reachOf, type Reach } from './reach.ts';
import { requestStatus } from './request.ts';
import { findRunning, type Start } from './running.ts';

/** Timeout in milliseconds. Shorter than that of the image's HEALTHCHECK, so that the reason is still printed. */
const TIMEOUT = 2500;

/**
 * Runs `wirebin health`: asks the service that runs here whether it is ready, or with `live` whether it is alive. Loads
 * little, because health checks run often.
 *
 * @param patience in milliseconds
 * @returns the exit code: 0 or 1, because Docker reserves others
 */
export async function health(
  args: readonly string[],
  surroundings: Surroundings,
  patience = TIMEOUT,
): Promise<number> {
  const { stdout, stderr } = surroundings;
  const onlyLive = args[0] === 'live';
  const path = onlyLive ? '/healthz' : '/readyz';
  let reach: Reach | undefined;
  try {
    reach = reachOf(await serviceStart(args, surroundings));
    const prefix = reach.pathPrefix?.replace(/\/$/, '') ?? '';
    const status = await Promise.race([
      requestStatus(reach, `${prefix}${path}`),
      failAfter(patience),
    ]);
    if (status === undefined) {
      stdout.write('alive: the service closes new connections, as at --max-connections\n');
      return 0;
    }
    // 404 counts as ready, because --disable may turn the endpoint off.
    const isReady = status < 500;
    const verdict = onlyLive ? 'alive' : isReady ? 'ready' : 'not ready';
    stdout.write(`${verdict}: ${path} responds with ${status}\n`);
    return onlyLive || isReady ? 0 : 1;
  } catch (error) {
    if (reach?.clientCert === 'require' && (await import('./tls.ts')).isTlsAlert(error)) {
      stdout.write('alive: the service requires a client certificate\n');
      return 0;
    }
    stderr.write(`wirebin: ${errorText(error).trim()}\n`);
    return 1;
  }
}

/** The flags and environment of the running service; with flags of its own, those and its own environment only. */
async function serviceStart(args: readonly string[], surroundings: Surroundings): Promise<Start> {
  const [, program = ''] = surroundings.argv;
  const environment = surroundings.env;
  const flags = args[0] === 'live' ? args.slice(1) : args;
  const [first] = flags;
  if (first === undefined) return findRunning(program) ?? { args: flags, environment };
  if (!first.startsWith('-')) throw new Error(await unexpected(first, args, surroundings));
  const { readInvocation } = await import('../command-line.ts');
  readInvocation(flags, environment);
  return { args: flags, environment };
}

/** A port of this machine, with or without the scheme and host of a URL. */
const LOCAL_PORT = /^(?::?|(?:https?:\/\/)?(?:localhost|127\.0\.0\.1|\[::1\]):)(\d+)\/?$/;

async function unexpected(
  argument: string,
  args: readonly string[],
  surroundings: Surroundings,
): Promise<string> {
  const { didYouMean, nameHint } = await import('../../http/nearest.ts');
  const { quoted } = await import('../../pages/curl.ts');
  const { programName } = await import('../program-name.ts');
  const line = `${programName(surroundings)} health`;
  const [, port] = LOCAL_PORT.exec(argument) ?? [];
  const others = args.filter((other) => other !== argument).map(quoted);
  const takes = `${line} checks the service that runs here; it takes \`live\`, or flags of that service`;
  const hint =
    port === undefined
      ? nameHint(argument, ['live'], takes, `${line} `)
      : didYouMean([line, ...others, '--port', port].join(' '));
  return `unexpected argument ${argument}; ${hint}`;
}

async function failAfter(patience: number): Promise<never> {
  await pause(patience, undefined, { ref: false });
  throw new Error(`no response within ${patience} ms`);
}
