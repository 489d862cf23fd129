import cluster from 'node:cluster';
import { isDeepStrictEqual } from 'node:util';
import { Channel } from './channel.ts';
import { coalesce } from './coalesce.ts';
import {
  isBatches,
  isConnectionEntries,
  isMetricsView,
  isStory,
  parseCredentials,
  type ChannelRequest,
} from './messages.ts';
import type { Settings } from '../settings/settings.ts';
import type { Logger as Pino } from 'pino';
import { createLog } from '../telemetry/log.ts';
import { createTrace } from '../telemetry/trace.ts';
import { Service, type ClusterMembership } from '../service.ts';
import type { ConnectionEntries } from '../telemetry/connection-statistics.ts';
import type { Story } from '../telemetry/story.ts';
import type { Batch } from '../telemetry/tap/batch.ts';
import { emptyStatistics, type Statistics } from '../telemetry/statistics.ts';

/** A request for what this worker has recorded. */
type ReadRequest = Extract<ChannelRequest, { type: 'connections' | 'story' | 'tap' }>;

/** Environment variable that marks a worker of wirebin, as opposed to one of another program. */
export const WORKER_VARIABLE = 'WIREBIN_IS_WORKER';

/** Milliseconds between reports: at most this much is not counted if the worker is killed. */
const REPORT_INTERVAL = 200;

/** Whether this process was started by a wirebin primary. */
export function isWorker(): boolean {
  return cluster.isWorker && process.env[WORKER_VARIABLE] === '1';
}

/** Serves connections from the primary until the primary stops this process or exits itself. */
export async function runWorker(settings: Settings): Promise<void> {
  const { worker } = cluster;
  if (!worker) throw new Error('this process is not a worker');
  // A terminal sends Ctrl-C to the whole process group. Only the primary acts on signals.
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(signal, () => undefined);
  const log = await openLog(settings, worker.id);
  let starting: Promise<Service> | undefined;
  let service: Service | undefined;

  const started = async (): Promise<Service> => {
    if (!starting) throw new Error('the service has not been started');
    return starting;
  };
  let reported: Statistics = emptyStatistics();
  const report = (): void => {
    const statistics = service?.counts();
    if (statistics === undefined || isDeepStrictEqual(statistics, reported)) return;
    reported = statistics;
    channel.notify({ kind: 'statistics', statistics });
  };

  const handle = async (
    request: ChannelRequest,
  ): Promise<number | null | ConnectionEntries | Story | Batch> => {
    switch (request.type) {
      case 'start':
        starting = Service.create(settings, log, {
          observer: createTrace(log),
          credentials: parseCredentials(request.credentials),
          membership: membershipOf(channel, worker.id, Buffer.from(request.nonceKey, 'base64')),
        });
        service = await starting;
        return null;
      case 'renew-credentials':
        (await started()).renew(parseCredentials(request.credentials));
        return null;
      case 'report':
        report();
        return null;
      case 'mark-not-ready':
        (await started()).markNotReady();
        return null;
      case 'finish': {
        const aborted = await (await started()).finish();
        report();
        return aborted;
      }
      case 'connections':
      case 'story':
      case 'tap':
        return (service && read(service, request)) ?? null;
      case 'metrics':
        throw new Error('only the primary has the metrics of all workers');
    }
  };
  const channel = new Channel(worker, {
    handle,
    connection: (socket) => (service ? service.accept(socket) : socket.destroy()),
  });
  if (settings.metricsEnabled) setInterval(report, REPORT_INTERVAL).unref();
  // Also report when the process exits because of an uncaught exception.
  process.on('exit', report);
  channel.notify({ kind: 'online' });
}

function read(
  service: Service,
  request: ReadRequest,
): ConnectionEntries | Story | Batch | undefined {
  switch (request.type) {
    case 'connections':
      return service.connections?.entries();
    case 'story':
      return service.stories?.story(request.connection, request.format);
    case 'tap':
      return service.tap?.readBatch(request.after, request.filter);
  }
}

async function openLog({ logLevel: level }: Settings, worker: number): Promise<Pino> {
  const { log, end } = await createLog({ level, pretty: process.stdout.isTTY, worker });
  process.on('exit', end);
  return log;
}

/** Gets what concerns all workers from the primary. */
function membershipOf(channel: Channel, worker: number, nonceKey: Uint8Array): ClusterMembership {
  return {
    worker,
    nonceKey,
    metrics: { view: coalesce(() => channel.request({ type: 'metrics' }, isMetricsView)) },
    connections: {
      entries: coalesce(() => channel.request({ type: 'connections' }, isConnectionEntries)),
    },
    stories: {
      story: async (connection, format) =>
        channel.request({ type: 'story', connection, format }, isStory),
    },
    readBatches: async (after, filter) =>
      channel.request({ type: 'tap', after, filter }, isBatches),
  };
}
