import { localAuthority } from '../http/ip-address.ts';
import { readInvocation } from './command-line.ts';
import type { Settings } from '../settings/settings.ts';
import { helpText } from './help.ts';
import { createLog } from '../telemetry/log.ts';
import { traceWriter } from '../telemetry/trace.ts';
import { VERSION } from '../version.ts';
import { Service } from '../service.ts';
import { SettingsError } from '../settings/settings-error.ts';
import { warningsOf } from './warnings.ts';
import { Primary } from '../cluster/primary.ts';
import { isWorker, work } from '../cluster/worker.ts';

/** The exit codes: stopped in order, failed or cut requests, wrong usage. */
const OK = 0;
const FAILED = 1;
const USAGE = 2;

/** Milliseconds from the end of the service to that of the process. */
const END_PATIENCE = 1000;
/** Milliseconds in which a signal is still the first: a terminal's Ctrl-C comes once more by way of npm. */
const SAME_SIGNAL = 500;

/** @returns the exit code; undefined while the service runs */
export async function run(): Promise<number | undefined> {
  // Whoever reads our output may stop reading; the log has a stream of its own.
  process.stdout.on('error', () => undefined);
  try {
    const invocation = readInvocation(process.argv.slice(2), process.env);
    switch (invocation.command) {
      case 'help':
        process.stdout.write(helpText());
        return OK;
      case 'version':
        process.stdout.write(`${VERSION}\n`);
        return OK;
      case 'serve':
        await (isWorker() ? work : serve)(invocation.settings);
        return undefined;
    }
  } catch (error) {
    process.stderr.write(`wirebin: ${messageOf(error)}\n`);
    return error instanceof SettingsError ? USAGE : FAILED;
  }
}

async function serve(settings: Settings): Promise<void> {
  const { log, end } = await createLog({
    level: settings.logLevel,
    pretty: process.stdout.isTTY,
  });
  process.on('exit', end);
  const { workers } = settings;
  const service = await (workers === 1
    ? Service.create(settings, log, { trace: traceWriter(log) })
    : Primary.create(settings, log));
  const { address, port, family } = await service.listen();

  let stopping: { readonly signal: string; readonly at: number } | undefined;
  const stop = (signal: string): void => {
    const at = performance.now();
    if (stopping) {
      if (signal === stopping.signal && at - stopping.at < SAME_SIGNAL) return;
      service.close();
      process.exit(FAILED);
    }
    stopping = { signal, at };
    log.info({ signal }, 'draining');
    service.drain().then(
      (cut) => {
        log.info({ cut }, cut === 0 ? 'stopped' : 'stopped; requests were cut');
        endSoon(cut === 0 ? OK : FAILED);
      },
      (error: unknown) => {
        log.error({ detail: messageOf(error) }, 'stopped; requests may have been cut');
        endSoon(FAILED);
      },
    );
  };
  process.on('SIGTERM', stop).on('SIGINT', stop);
  process.on('SIGHUP', () => {
    service.renewCertificate().then(
      () => log.info('certificate read again'),
      (error: unknown) => log.error({ detail: messageOf(error) }, 'the old certificate stays'),
    );
  });

  // Last of all: whoever reads this line may send a signal at once.
  const authority = localAuthority(address, port);
  log.info(
    { address, port, family, ...(workers > 1 && { workers }) },
    `wirebin ${VERSION} listens on http://${authority} and https://${authority}`,
  );
  const warnings = await warningsOf(settings, process.versions.node, Date.now());
  for (const warning of warnings) log.warn(warning);
}

/** Lets the process end once files and the log are written, but holds it up for nothing else. */
function endSoon(code: number): void {
  process.exitCode = code;
  setTimeout(() => process.exit(), END_PATIENCE).unref();
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
