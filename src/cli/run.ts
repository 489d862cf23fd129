import { versions } from 'node:process';
import { PROTOCOLS, type Protocol } from '../net/connection.ts';
import { localAuthority } from '../http/ip-address.ts';
import { readInvocation, type Invocation } from './command-line.ts';
import { certificateWarnings } from '../service/tls.ts';
import { helpText } from './help.ts';
import { createLog } from '../telemetry/log.ts';
import type { Sink } from '../telemetry/log-output.ts';
import { createTrace } from '../telemetry/trace.ts';
import { VERSION } from '../version.ts';
import { Service } from '../service/service.ts';
import { SettingsError } from '../settings/settings-error.ts';
import { programName } from './program-name.ts';
import type { Surroundings } from './surroundings.ts';
import { startupWarnings } from './warnings.ts';
import { coalesce } from '../cluster/coalesce.ts';
import { Primary } from '../cluster/primary.ts';
import { StopSignals } from './stop-signals.ts';
import { surviveRejections } from '../cluster/survive-rejections.ts';
import { isWorker, runWorker } from '../cluster/worker.ts';

/** Exit codes: stopped gracefully, failed or aborted requests, usage error. */
const OK = 0;
const FAILED = 1;
const USAGE = 2;

/** Milliseconds between the end of the service and `process.exit()`. */
const EXIT_TIMEOUT = 1000;

interface Emitter {
  on(event: 'error', listener: () => void): unknown;
}

type StopSignal = 'SIGTERM' | 'SIGINT' | 'SIGHUP';

/** What it uses of `process`. */
export interface OwnProcess extends Surroundings {
  readonly stdout: Surroundings['stdout'] & Emitter & { readonly isTTY?: boolean };
  readonly stderr: Surroundings['stderr'] & Emitter;
  exitCode?: number | string | null | undefined;
  on(event: 'exit', listener: () => void): unknown;
  on(event: StopSignal, listener: (signal: string) => void): unknown;
  on(event: 'unhandledRejection', listener: (reason: unknown) => void): unknown;
  exit(code?: number): void;
}

/**
 * Sets the exit code, unless it starts a service, whose end sets it: that may come while this is still starting.
 *
 * @param logSink what the log is written to; default: standard output
 */
export async function run(process: OwnProcess, logSink?: Sink): Promise<void> {
  const code = await exitCodeOf(process, logSink);
  if (code !== undefined) process.exitCode = code;
}

async function exitCodeOf(process: OwnProcess, logSink?: Sink): Promise<number | undefined> {
  const { argv, env, stdout, stderr } = process;
  // The reader of standard output may close it. The log uses a stream of its own.
  stdout.on('error', () => undefined);
  // So may that of standard error, or the disk be full; NODE_DEBUG=wirebin writes there.
  stderr.on('error', () => undefined);
  try {
    const invocation = readInvocation(argv.slice(2), env);
    switch (invocation.command) {
      case 'help':
        stdout.write(helpText());
        return OK;
      case 'check': {
        // Serving needs nothing of it, and starts sooner without.
        const { check } = await import('./check.ts');
        return await check(invocation.args);
      }
      case 'bench': {
        const { bench } = await import('./bench.ts');
        return await bench(invocation.args);
      }
      case 'completion': {
        const { completion } = await import('./completion/completion.ts');
        stdout.write(completion(invocation.args));
        return OK;
      }
      case 'version':
        stdout.write(`${VERSION}\n`);
        return OK;
      case 'serve':
        if (isWorker()) await runWorker(invocation.settings);
        else await serve(invocation, process, logSink);
        return undefined;
    }
  } catch (error) {
    stderr.write(`wirebin: ${messageOf(error)}${portHint(error, process)}\n`);
    return error instanceof SettingsError ? USAGE : FAILED;
  }
}

async function serve(
  { settings, warnings }: Extract<Invocation, { command: 'serve' }>,
  process: OwnProcess,
  sink: Sink | undefined,
): Promise<void> {
  const pretty = process.stdout.isTTY ?? false;
  const { log, writeLine, end } = await createLog({ level: settings.logLevel, pretty, sink });
  process.on('exit', end);
  const { workers, transports } = settings;
  const exit = (code: number): void => {
    log.info({ code }, 'exiting on request');
    service.close();
    process.exit(code);
  };
  const service: Service | Primary = await (workers === 1
    ? Service.create(settings, log, { observer: createTrace(log), writeLine, exit })
    : Primary.create(settings, log, { exit }));
  surviveRejections(process, log, () => service.countUnhandledRejection());
  const { address, port, family } = await service.listen();

  const signals = new StopSignals();
  const stop = (signal: string): void => {
    const asked = signals.received(signal, performance.now());
    if (asked === 'ignore') return;
    if (asked === 'exit') {
      service.close();
      process.exit(FAILED);
      return;
    }
    log.info({ signal }, 'draining');
    service.drain().then(
      (aborted) => {
        log.info({ cut: aborted }, aborted === 0 ? 'stopped' : 'stopped; requests were aborted');
        exitSoon(process, aborted === 0 ? OK : FAILED);
      },
      (error: unknown) => {
        log.error({ detail: messageOf(error) }, 'stopped; requests may have been aborted');
        exitSoon(process, FAILED);
      },
    );
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
  // One at a time: a file that cannot be opened in time, such as a FIFO, occupies a thread until it can.
  const reload = coalesce(() => service.renewCertificate());
  process.on('SIGHUP', () => {
    reload().then(
      () => log.info('certificate reloaded'),
      (error: unknown) => log.error({ detail: messageOf(error) }, 'keeping the old certificate'),
    );
  });

  // Log this after the signal handlers are set: a reader of this line may send a signal at once.
  const isLimited = transports.length < PROTOCOLS.length;
  log.info(
    { address, port, family, ...(workers > 1 && { workers }), ...(isLimited && { transports }) },
    `wirebin ${VERSION} listens on ${originsOf(transports, localAuthority(address, port))}`,
  );
  const more = await startupWarnings(settings, versions.node, Date.now());
  for (const warning of [...warnings, ...more, ...(await certificateWarnings(settings))]) {
    log.warn(warning);
  }
}

const SCHEMES: Readonly<Record<Protocol, string>> = {
  'http/1.1': 'http',
  h2c: 'http',
  'https/1.1': 'https',
  h2: 'https',
};

function originsOf(transports: readonly Protocol[], authority: string): string {
  const schemes = new Set(transports.map((transport) => SCHEMES[transport]));
  return [...schemes].map((scheme) => `${scheme}://${authority}`).join(' and ');
}

/** Gives pending file and log writes time to finish, then exits. */
function exitSoon(process: OwnProcess, code: number): void {
  process.exitCode = code;
  setTimeout(() => process.exit(), EXIT_TIMEOUT).unref();
}

/** How to choose another port if this one is in use. */
function portHint(error: unknown, { env, argv }: Surroundings): string {
  const { cause } = error instanceof Error ? error : {};
  if (!(cause instanceof Error && 'code' in cause && cause.code === 'EADDRINUSE')) return '';
  const set = env['WIREBIN_PORT'] ? ', which overrides WIREBIN_PORT' : '';
  const other = 'port' in cause && cause.port === 9000 ? 9001 : 9000;
  return `; choose another: ${programName({ env, argv })} -p ${other}${set}`;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
