import { versions } from 'node:process';
import type { Primary } from '../cluster/primary.ts';
import { surviveRejections } from '../cluster/survive-rejections.ts';
import { localAuthority } from '../http/ip-address.ts';
import { PROTOCOLS, type Protocol } from '../net/connection.ts';
import { Service } from '../service/service.ts';
import { storageWarnings } from '../service/tls.ts';
import type { Settings } from '../settings/settings.ts';
import { createLog } from '../telemetry/log.ts';
import type { Logger } from '../telemetry/logger.ts';
import type { Sink } from '../telemetry/log-output.ts';
import { createTrace } from '../telemetry/trace.ts';
import { VERSION } from '../version.ts';
import type { Invocation } from './command-line.ts';
import { handleSignals, type Signal, type SignalledProcess } from './signals.ts';
import type { Surroundings } from './surroundings.ts';
import { startupWarnings } from './warnings.ts';

interface Emitter {
  on(event: 'error', listener: () => void): unknown;
}

/** The parts of `process` that are used here. */
export interface OwnProcess extends Surroundings, SignalledProcess {
  readonly stdout: Surroundings['stdout'] & Emitter & { readonly isTTY?: boolean };
  readonly stderr: Surroundings['stderr'] & Emitter;
  on(event: 'exit', listener: () => void): unknown;
  on(event: Signal, listener: (signal: string) => void): unknown;
  on(event: 'unhandledRejection', listener: (reason: unknown) => void): unknown;
}

/** Starts the service, and logs its addresses. */
export async function serve(
  { settings, warnings }: Extract<Invocation, { command: 'serve' }>,
  process: OwnProcess,
  sink: Sink | undefined,
): Promise<void> {
  const pretty = process.stdout.isTTY ?? false;
  const { log, writeLine, end } = await createLog({ level: settings.logLevel, pretty, sink });
  process.on('exit', end);
  const { workers, transports, h2Engine } = settings;
  const exit = (code: number): void => {
    log.info({ code }, 'exiting on request');
    service.close();
    process.exit(code);
  };
  const service: Service | Primary = await (workers === 1
    ? Service.create(settings, log, { observer: createTrace(log), writeLine, exit })
    : createPrimary(settings, log, exit));
  surviveRejections(process, log, () => service.countUnhandledRejection());
  const { address, port, family } = await service.listen();

  handleSignals(process, service, log, settings.respond.length > 0);

  // Logged after signal handlers are set, because a reader of this line may send a signal at once.
  const isLimited = transports.length < PROTOCOLS.length;
  log.info(
    {
      address,
      port,
      family,
      ...(workers > 1 && { workers }),
      ...(isLimited && { transports }),
      ...(h2Engine === 'wirebin' && { h2_engine: h2Engine }),
    },
    `wirebin ${VERSION} listens on ${originsOf(transports, localAuthority(address, port))}`,
  );
  const more = await startupWarnings(settings, versions.node, Date.now());
  for (const warning of [...warnings, ...more, ...(await storageWarnings(settings))]) {
    log.warn(warning);
  }
}

/** Loads the code of several processes only for them. */
async function createPrimary(
  settings: Settings,
  log: Logger,
  exit: (code: number) => void,
): Promise<Primary> {
  const { Primary } = await import('../cluster/primary.ts');
  return Primary.create(settings, log, { exit });
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
