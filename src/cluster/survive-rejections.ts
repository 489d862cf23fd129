import type { Logger } from '../telemetry/logger.ts';

interface Process {
  on(event: 'unhandledRejection', listener: (reason: unknown) => void): unknown;
}

/**
 * Keeps a process running after a promise is rejected without a handler; by default Node ends it. Nothing says
 * which request the promise was for, so none is responded to. Uncaught exceptions still end the process: what they
 * have interrupted may be in any state.
 *
 * @param count called for each
 */
export function surviveRejections(process: Process, log: Logger, count: () => void): void {
  process.on('unhandledRejection', (err) => {
    count();
    log.error({ err }, 'unhandled rejection');
  });
}
