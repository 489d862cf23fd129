import type { Logger } from '../telemetry/logger.ts';

interface Process {
  on(event: 'unhandledRejection', listener: (reason: unknown) => void): unknown;
}

/**
 * Keeps a process running after a promise was rejected without a handler; by default, Node ends it. The promise does
 * not show its request, so no response is sent. Uncaught exceptions still end the process, because interrupted code may
 * leave any state.
 *
 * @param count called for each
 */
export function surviveRejections(process: Process, log: Logger, count: () => void): void {
  process.on('unhandledRejection', (err) => {
    count();
    log.error({ err }, 'unhandled rejection');
  });
}
