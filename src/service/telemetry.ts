import type { Connection } from '../net/connection.ts';
import type { Chaos } from '../server/chaos.ts';
import type { ExchangeObserver } from '../server/observer.ts';
import { ConnectionStatistics } from '../telemetry/connection-statistics.ts';
import { createAccessLog, type WriteLine } from '../telemetry/access-log.ts';
import { EventLog } from '../telemetry/event-log.ts';
import type { Logger } from '../telemetry/logger.ts';
import type { MetricsSource } from '../telemetry/history.ts';
import { Metrics } from '../telemetry/metrics.ts';
import { Sampler } from '../telemetry/sample.ts';
import { Tap, type TapMembership } from '../telemetry/tap/tap.ts';
import { createJournal, type JournalMembership } from './journal.ts';
import type { Settings } from '../settings/settings.ts';

interface TelemetryOptions {
  readonly log: Logger;
  /** Writes lines of requests that are not JSON. */
  readonly writeLine: WriteLine | undefined;
  /** Source of the disturbances that metrics count. */
  readonly chaos: Chaos | undefined;
  readonly openConnections: () => Iterable<Connection>;
  /** Resolves when all messages that were rejected so far are reported. */
  readonly settleRejections: () => Promise<void>;
  /** The id of the running service. */
  readonly process: string;
  readonly membership: (JournalMembership & TapMembership) | undefined;
}

/** Creates the parts that record events of a service; undefined for those that settings turn off. */
export function createTelemetry(settings: Settings, options: TelemetryOptions) {
  const { log, writeLine, chaos, openConnections, membership } = options;
  const { metricsEnabled, tap: isObservable, tapSecrets: secrets } = settings;
  const { logRequests, logFormat } = settings;
  const metrics = metricsEnabled ? new Metrics(chaos) : undefined;
  const sampler = metricsEnabled ? new Sampler(openConnections) : undefined;
  const tap = isObservable ? new Tap({ secrets, membership }) : undefined;
  const journal = createJournal(settings, options);
  const connections = isObservable ? new ConnectionStatistics() : undefined;
  const observers: readonly (ExchangeObserver | undefined)[] = [
    metrics,
    tap,
    journal,
    connections,
    new EventLog(log),
    logRequests ? createAccessLog(logFormat, log, writeLine) : undefined,
  ];
  return { metrics, sampler, tap, journal, connections, observers };
}

/** Source of /metrics; undefined if metrics are off. */
export function metricsSource(metrics?: Metrics, sampler?: Sampler): MetricsSource | undefined {
  if (!metrics || !sampler) return undefined;
  return {
    view: async () => ({ ...metrics.view(), sample: await sampler.sample() }),
    history: () => metrics.history(),
  };
}
