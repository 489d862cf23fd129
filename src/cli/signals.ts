import { coalesce } from '../cluster/coalesce.ts';
import type { Logger } from '../telemetry/logger.ts';
import { EXIT_FAILED, EXIT_OK } from './surroundings.ts';
import { errorText } from '../net/error-text.ts';

/** Milliseconds in which a repeated signal is ignored: npm sends a terminal's Ctrl-C a second time. */
const REPEATED_SIGNAL_WINDOW = 500;

/** Milliseconds after the end of the service or command until `process.exit()`. */
const EXIT_TIMEOUT = 1000;

export type Signal = 'SIGTERM' | 'SIGINT' | 'SIGHUP';

/** A process that can be ended. */
interface EndedProcess {
  exitCode?: number | string | null | undefined;
  exit(code?: number): void;
}

/** The parts of `process` that are used here. */
export interface SignalledProcess extends EndedProcess {
  on(event: Signal, listener: (signal: string) => void): unknown;
}

/** Reactions of a service, or of all workers, to signals. */
interface Signalled {
  close(): void;
  drain(): Promise<number>;
  renewCertificate(): Promise<void>;
  renewRules(): Promise<void>;
}

/**
 * Handles signals: SIGTERM and SIGINT drain the service, a second one ends the process at once, and SIGHUP reloads the
 * certificate and the rules of --respond. With --workers, only the primary handles them, and tells its workers.
 */
export function handleSignals(
  process: SignalledProcess,
  service: Signalled,
  log: Logger,
  hasRules: boolean,
): void {
  const signals = new StopSignals();
  const stop = (signal: string): void => {
    const asked = signals.received(signal, performance.now());
    if (asked === 'ignore') return;
    if (asked === 'exit') {
      service.close();
      process.exit(EXIT_FAILED);
      return;
    }
    log.info({ signal }, 'draining');
    service.drain().then(
      (aborted) => {
        log.info({ cut: aborted }, aborted === 0 ? 'stopped' : 'stopped; requests were aborted');
        exitSoon(process, aborted === 0 ? EXIT_OK : EXIT_FAILED);
      },
      (error: unknown) => {
        log.error({ detail: errorText(error) }, 'stopped; requests may have been aborted');
        exitSoon(process, EXIT_FAILED);
      },
    );
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
  // One reload at a time, because a file that cannot be opened, such as a FIFO, occupies a thread.
  const reload = (what: string, load: () => Promise<void>): (() => void) => {
    const loadOnce = coalesce(load);
    return () => {
      loadOnce().then(
        () => log.info({}, `${what} reloaded`),
        (error: unknown) => log.error({ detail: errorText(error) }, `keeping the old ${what}`),
      );
    };
  };
  process.on(
    'SIGHUP',
    reload('certificate', () => service.renewCertificate()),
  );
  if (hasRules)
    process.on(
      'SIGHUP',
      reload('rules', () => service.renewRules()),
    );
}

/** Decides about signals that stop a process, by their order. */
export class StopSignals {
  #first: { readonly signal: string; readonly at: number } | undefined;

  /**
   * The reaction to a signal: first a drain, then an immediate exit.
   *
   * @param at milliseconds, from performance.now()
   */
  received(signal: string, at: number): 'drain' | 'ignore' | 'exit' {
    const first = this.#first;
    if (!first) {
      this.#first = { signal, at };
      return 'drain';
    }
    return signal === first.signal && at - first.at < REPEATED_SIGNAL_WINDOW ? 'ignore' : 'exit';
  }
}

/** Gives pending file and log writes time to finish, then exits, whatever is still open. */
export function exitSoon(process: EndedProcess, code: number): void {
  process.exitCode = code;
  setTimeout(() => process.exit(), EXIT_TIMEOUT).unref();
}
