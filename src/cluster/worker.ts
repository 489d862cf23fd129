import cluster from 'node:cluster';
import { isDeepStrictEqual } from 'node:util';
import { Channel } from './channel.ts';
import {
  fromBase64,
  isLedgerEntries,
  isLook,
  isMetricsView,
  receivedCredentials,
  type Question,
} from './messages.ts';
import { shared } from './shared.ts';
import type { Settings } from '../settings/settings.ts';
import { isList } from '../telemetry/guard.ts';
import type { Logger as Pino } from 'pino';
import { createLog } from '../telemetry/log.ts';
import { traceWriter } from '../telemetry/trace.ts';
import { Service, type ClusterMembership } from '../service.ts';
import type { ConnectionEntries } from '../telemetry/connection-statistics.ts';
import type { Batch } from '../telemetry/tap/batch.ts';
import { NO_STATISTICS } from '../telemetry/statistics.ts';

/** The variable that tells a process that it is a worker of wirebin's, and not of another program. */
export const WORKER_MARK = 'WIREBIN_IS_WORKER';

/** Milliseconds between reports: what a worker that is killed has counted and not yet told. */
const REPORT_INTERVAL = 200;

/** Whether this process was started by a primary of wirebin's. */
export function isWorker(): boolean {
  return cluster.isWorker && process.env[WORKER_MARK] === '1';
}

/** Serves the connections that the primary hands over, until the primary ends it or ends itself. */
export async function work(settings: Settings): Promise<void> {
  const { worker } = cluster;
  if (!worker) throw new Error('this process is no worker');
  // A terminal's Ctrl-C goes to every process of the group; it is for the primary to say what is done.
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(signal, () => undefined);
  const log = await openLog(settings, worker.id);
  let starting: Promise<Service> | undefined;
  let service: Service | undefined;

  const begun = async (): Promise<Service> => {
    if (!starting) throw new Error('the service has not begun');
    return starting;
  };
  let reported = NO_STATISTICS;
  const report = (): void => {
    const counts = service?.counts();
    if (counts === undefined || isDeepStrictEqual(counts, reported)) return;
    reported = counts;
    channel.tell({ kind: 'counts', counts });
  };

  const answer = async (question: Question): Promise<number | null | ConnectionEntries | Batch> => {
    switch (question.about) {
      case 'start':
        starting = Service.create(settings, log, {
          trace: traceWriter(log),
          credentials: receivedCredentials(question.credentials),
          membership: membershipBy(channel, worker.id, fromBase64(question.nonceKey)),
        });
        service = await starting;
        return null;
      case 'renew':
        (await begun()).renew(receivedCredentials(question.credentials));
        return null;
      case 'report':
        report();
        return null;
      case 'retire':
        (await begun()).markNotReady();
        return null;
      case 'finish': {
        const cut = await (await begun()).finish();
        report();
        return cut;
      }
      case 'ledger':
        return service?.tap?.ledger.entries() ?? null;
      case 'look':
        return service?.tap?.look(question.after, question.filter) ?? null;
      case 'metrics':
      case 'connections':
      case 'looks':
        throw new Error('a worker has only its own');
    }
  };
  const channel = new Channel(worker, {
    answer,
    connection: (socket) => (service ? service.accept(socket) : socket.destroy()),
  });
  if (settings.metricsEnabled) setInterval(report, REPORT_INTERVAL).unref();
  // What ends by a defect of its own can still tell.
  process.on('exit', report);
  channel.tell({ kind: 'online' });
}

async function openLog({ logLevel: level }: Settings, worker: number): Promise<Pino> {
  const { log, end } = await createLog({ level, pretty: process.stdout.isTTY, worker });
  process.on('exit', end);
  return log;
}

/** Asks the primary for what concerns all workers. */
function membershipBy(channel: Channel, worker: number, nonceKey: Uint8Array): ClusterMembership {
  return {
    worker,
    nonceKey,
    metrics: { view: shared(() => channel.ask({ about: 'metrics' }, isMetricsView)) },
    connections: { entries: shared(() => channel.ask({ about: 'connections' }, isLedgerEntries)) },
    looks: async (after, filter) => channel.ask({ about: 'looks', after, filter }, isList(isLook)),
  };
}
