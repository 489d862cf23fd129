import cluster, { type Worker } from 'node:cluster';
import { isDeepStrictEqual } from 'node:util';
import { Channel } from './channel.ts';
import { coalesce } from './coalesce.ts';
import { remoteJournal } from './journal.ts';
import {
  isBatches,
  isBoolean,
  isConnectionEntries,
  isHistory,
  isMetricsView,
  isNothing,
  isStory,
  parseCredentials,
  type ChannelRequest,
  type StartRequest,
  type WorkerSample,
} from './messages.ts';
import { surviveRejections } from './survive-rejections.ts';
import type { Settings } from '../settings/settings.ts';
import { createLog, type LogOutputs } from '../telemetry/log.ts';
import { createTrace } from '../telemetry/trace.ts';
import { Service, type ClusterMembership } from '../service/service.ts';
import type { ConnectionSource } from '../telemetry/connection-statistics.ts';
import type { ConnectionEntries } from '../telemetry/connections-schema.ts';
import type { StoryPage } from '../telemetry/story/page.ts';
import type { Batch } from '../telemetry/tap/batch.ts';
import { emptyStatistics, type Statistics } from '../telemetry/statistics.ts';

/** Requests for data that this worker has recorded. */
type ReadRequest = Extract<ChannelRequest, { type: 'connections' | 'story' | 'tap' }>;

/** Requests of the primary that come from /control, a stop or a reload. */
type SteerRequest = Extract<
  ChannelRequest,
  { type: 'mark-not-ready' | 'set-ready' | 'drain-connections' | 'resume' | 'renew-rules' }
>;

/** Results of a worker's requests. */
type WorkerResult = number | null | ConnectionEntries | StoryPage | Batch | WorkerSample;

/** Milliseconds between reports. What happened in that time is not counted if the worker is killed. */
const REPORT_INTERVAL = 200;

/** Serves connections from the primary until the primary stops this process or exits itself. */
export async function runWorker(settings: Settings): Promise<void> {
  const { worker } = cluster;
  if (!worker) throw new Error('this process is not a worker');
  // Only the primary acts on signals, but a terminal sends Ctrl-C to the whole process group.
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(signal, () => undefined);
  const pretty = process.stdout.isTTY;
  const output = await createLog({ level: settings.logLevel, pretty, worker: worker.id });
  process.on('exit', output.end);
  const sendStatistics = joinCluster(worker, settings, output, (service) => {
    surviveRejections(process, output.log, () => service.countUnhandledRejection());
  });
  if (settings.metricsEnabled) setInterval(sendStatistics, REPORT_INTERVAL).unref();
  // Also reports if the process exits by an uncaught exception.
  process.on('exit', sendStatistics);
}

/**
 * Serves connections from the primary at the other end of the worker's channel.
 *
 * @param onCreated called with the service when the primary has started it
 * @returns a function that reports to the primary
 */
export function joinCluster(
  worker: Worker,
  settings: Settings,
  output: LogOutputs,
  onCreated: (service: Service) => void,
): () => void {
  let starting: Promise<Service> | undefined;
  let service: Service | undefined;

  const started = async (): Promise<Service> => {
    if (!starting) throw new Error('the service has not been started');
    return starting;
  };

  const handle = async (request: ChannelRequest): Promise<WorkerResult> => {
    switch (request.type) {
      case 'start':
        starting = createService(request, settings, output, { channel, worker: worker.id });
        service = await starting;
        onCreated(service);
        return null;
      case 'renew-credentials':
        (await started()).renew(parseCredentials(request.credentials));
        return null;
      case 'report':
        sendStatistics();
        return null;
      case 'settle-rejections':
        await service?.settleRejections();
        sendStatistics();
        return null;
      case 'sample': {
        const sample = await service?.sampler?.sample();
        return sample ? { worker: worker.id, sample } : null;
      }
      case 'mark-not-ready':
      case 'set-ready':
      case 'drain-connections':
      case 'resume':
      case 'renew-rules':
        return steerService(await started(), request);
      case 'finish': {
        const aborted = await (await started()).finish();
        sendStatistics();
        return aborted;
      }
      case 'connections':
      case 'story':
      case 'tap':
        return (service && readService(service, request)) ?? null;
      /* v8 ignore next -- the primary sends no others */
      default:
        throw new Error(`only the primary handles ${request.type}`);
    }
  };
  const channel = new Channel(worker, {
    handle,
    connection: (socket) => (service ? service.accept(socket) : socket.destroy()),
  });
  const sendStatistics = createStatisticsSender(channel, () => service);
  channel.notify({ kind: 'online' });
  return sendStatistics;
}

async function createService(
  start: StartRequest,
  settings: Settings,
  { log, writeLine }: LogOutputs,
  { channel, worker }: { readonly channel: Channel; readonly worker: number },
): Promise<Service> {
  const { credentials, rules, ready, draining } = start;
  const service = await Service.create(settings, log, {
    observer: createTrace(log),
    writeLine,
    credentials: parseCredentials(credentials),
    rules,
    membership: clusterMembership(channel, worker, start),
  });
  service.setReady(ready);
  if (draining) service.markNotReady();
  return service;
}

async function steerService(service: Service, request: SteerRequest): Promise<number | null> {
  switch (request.type) {
    case 'mark-not-ready':
      service.markNotReady();
      return null;
    case 'set-ready':
      service.setReady(request.ready);
      return null;
    case 'drain-connections':
      return service.drainConnections(request.timeout);
    case 'resume':
      service.resume();
      return null;
    case 'renew-rules':
      service.setRules(request.rules);
      return null;
  }
}

/** @returns a function that sends journal changes, and the statistics if they have changed */
function createStatisticsSender(channel: Channel, service: () => Service | undefined): () => void {
  let reported: Statistics = emptyStatistics();
  return () => {
    service()?.journal?.flush();
    const statistics = service()?.counts();
    if (statistics === undefined || isDeepStrictEqual(statistics, reported)) return;
    reported = statistics;
    channel.notify({ kind: 'statistics', statistics });
  };
}

function readService(
  service: Service,
  request: ReadRequest,
): ConnectionEntries | StoryPage | Batch | undefined {
  switch (request.type) {
    case 'connections':
      return service.connections?.entries(request.withClosed);
    case 'story':
      return service.stories?.story(request.connection, request.format, request.after);
    case 'tap':
      return service.tap?.readBatch(request.after, request.filter);
  }
}

/** The connections of all workers. Concurrent requests that list the same share a call. */
function connectionsOfAll(channel: Channel): ConnectionSource {
  const reading = (withClosed: boolean): (() => Promise<ConnectionEntries>) =>
    coalesce(() => channel.request({ type: 'connections', withClosed }, isConnectionEntries));
  const readOpen = reading(false);
  const readAll = reading(true);
  return { entries: async (withClosed) => (withClosed ? readAll() : readOpen()) };
}

/** Makes the part of the service that asks the primary about all workers. */
function clusterMembership(
  channel: Channel,
  worker: number,
  { nonceKey, process: id }: StartRequest,
): ClusterMembership {
  return {
    worker,
    process: id,
    nonceKey: Buffer.from(nonceKey, 'base64'),
    metrics: {
      view: coalesce(() => channel.request({ type: 'metrics' }, isMetricsView)),
      history: coalesce(() => channel.request({ type: 'metrics-history' }, isHistory)),
    },
    connections: connectionsOfAll(channel),
    stories: {
      story: async (connection, format, after) =>
        channel.request({ type: 'story', connection, format, after }, isStory),
    },
    journal: remoteJournal(channel),
    readBatches: async (after, filter) =>
      channel.request({ type: 'tap', after, filter }, isBatches),
    control: {
      setReady: async (ready) =>
        void (await channel.request({ type: 'set-ready', ready }, isNothing)),
      rehearseDrain: async (plan) =>
        channel.request({ type: 'rehearse-drain', ...plan }, isBoolean),
      // No response is awaited, because the primary ends this process before.
      /* v8 ignore next -- nor is its coverage written */
      exit: (code) =>
        void channel.request({ type: 'exit', code }, isNothing).catch(() => undefined),
    },
  };
}
