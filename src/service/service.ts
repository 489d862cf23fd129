import { randomBytes, randomUUID } from 'node:crypto';
import type { AddressInfo, Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import type { Settings } from '../settings/settings.ts';
import { createChaos } from './chaos.ts';
import { createControl } from './control.ts';
import { dialectSettingsOf, instanceOf } from './dialect-settings.ts';
import { openInspection, type Inspecting } from './inspection.ts';
import type { JournalMembership } from './journal.ts';
import { limitsOf, listenerSettingsOf, SECOND } from './limits.ts';
import { checkMethodPaths } from './method-paths.ts';
import { loadRules } from './respond-rules.ts';
import { createTelemetry, metricsSource } from './telemetry.ts';
import { loadCredentials, openConfiguredKeyLog, tlsSettingsOf } from './tls.ts';
import { AnyPath, type RuleText } from '../endpoints/respond/any-path.ts';
import { createDialects } from '../dialects/all.ts';
import type { CallSettings } from '../grpc/calls.ts';
import type { ControlActions, Readiness } from '../server/control.ts';
import { Rehearsal, type Drainable } from '../server/rehearsal.ts';
import { Dispatch } from '../server/dispatch.ts';
import type { Limits } from '../server/limits.ts';
import { combineObservers, type ExchangeObserver } from '../server/observer.ts';
import { Nonces } from '../server/nonces.ts';
import type { WriteLine } from '../telemetry/access-log.ts';
import type { Logger } from '../telemetry/logger.ts';
import { refusals } from '../protocols/transport-off.ts';
import { Http1Adapter } from '../protocols/http1/server.ts';
import { EngineAdapter } from '../protocols/http2-engine/server.ts';
import { Http2Adapter } from '../protocols/http2/server.ts';
import type { ConnectionSource, ConnectionStatistics } from '../telemetry/connection-statistics.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import type { Journal } from '../telemetry/journal/journal.ts';
import type { Sampler } from '../telemetry/sample.ts';
import type { MetricsSource } from '../telemetry/history.ts';
import type { Statistics } from '../telemetry/statistics.ts';
import type { StorySource } from '../telemetry/story/page.ts';
import type { Stories } from '../telemetry/story/stories.ts';
import type { Tap, TapMembership } from '../telemetry/tap/tap.ts';
import type { Connection, Protocol } from '../net/connection.ts';
import type { ProtocolHandlers } from '../net/tcp-connection.ts';
import type { KeyLog } from '../net/key-log.ts';
import { Listener } from '../net/listener.ts';
import { TlsServer, type Credentials } from '../net/tls-server.ts';

/** Milliseconds for which a drain waits for a request that may be on its way on an idle connection. */
const IDLE_GRACE = SECOND;
/** Milliseconds for which a drain waits for protocol detection and TLS handshakes. */
const HANDSHAKE_GRACE = 3 * SECOND;
const DRAIN_POLL_INTERVAL = 50;

/** The service of a worker process as one of several. */
export interface ClusterMembership extends JournalMembership, TapMembership {
  /** The metrics of all workers. */
  readonly metrics: MetricsSource;
  /** The connection statistics of all workers. */
  readonly connections: ConnectionSource;
  /** The events of the connections of all workers. */
  readonly stories: StorySource;
  /** Actions of /control on all workers. */
  readonly control: ControlActions;
  /** Key of Digest nonces, shared by all workers: 32 random bytes. */
  readonly nonceKey: Uint8Array;
}

/** Parts that are created before the service. */
interface Parts {
  /** Rules of --respond. */
  readonly rules: readonly RuleText[];
  readonly credentials: Credentials;
  readonly limits: Limits;
  readonly keyLog?: KeyLog | undefined;
  readonly membership?: ClusterMembership;
  readonly observer?: ExchangeObserver | undefined;
  readonly inspecting?: Inspecting | undefined;
  /** Writes lines of --log-requests that are not JSON. Default: the log, with the line as message. */
  readonly writeLine?: WriteLine;
  /** Called for /control/exit. Default: nothing happens. */
  readonly exit?: (code: number) => void;
}

/** The running service, which creates and connects all parts. */
export class Service {
  readonly #settings: Settings;
  readonly #listener: Listener;
  readonly #tls: TlsServer;
  readonly #http1: Http1Adapter;
  readonly #http2: Http2Adapter | EngineAdapter;
  readonly #keyLog: KeyLog | undefined;
  readonly #metrics: Metrics | undefined;
  /** undefined if metrics are off. */
  readonly sampler: Sampler | undefined;
  /** undefined without --tap. */
  readonly tap: Tap | undefined;
  /** undefined without --tap. */
  readonly connections: ConnectionStatistics | undefined;
  /** undefined without --inspect. */
  readonly stories: Stories | undefined;
  /** undefined in other dialects. */
  readonly journal: Journal | undefined;
  readonly #inspecting: Inspecting | undefined;
  readonly #rehearsal: Rehearsal;
  readonly #dispatch: Dispatch;
  /** undefined with --lean. */
  readonly #described: AnyPath | undefined;
  /** The address on which it listens, or listened before a drain closed the port. */
  #address: AddressInfo | undefined;
  /** Whether a drain makes /readyz fail, before connections are drained. */
  #draining = false;
  readonly #drainState = { isDraining: false };
  /** Whether /control/ready allows /readyz to succeed. */
  #isReady = true;
  /** Number of drains so far. Only the last one continues. */
  #drains = 0;

  private constructor(settings: Settings, log: Logger, parts: Parts) {
    const { credentials, keyLog, membership, limits, inspecting, writeLine } = parts;
    const instance = instanceOf(settings);
    const { connHeaders: connFields, lean } = settings;
    const common = { connFields, lean, drainState: this.#drainState };
    this.#settings = settings;
    this.#keyLog = keyLog;
    this.#rehearsal = this.#createRehearsal(log, parts.exit);
    const actions = membership?.control ?? this.#controlActions(parts.exit);
    const control = createControl(settings, actions);
    const chaos = createChaos(settings, membership?.worker);
    const openConnections = (): Iterable<Connection> => this.#listener.connections;
    const process = membership?.process ?? randomUUID();
    const settleRejections = (): Promise<void> => this.settleRejections();
    const observed = { openConnections, settleRejections, chaos, process, membership };
    const telemetry = createTelemetry(settings, { log, writeLine, ...observed });
    const { metrics, tap, journal, connections, observers } = telemetry;
    // The inspection is first, because it must see bytes before others act on them.
    const observer = combineObservers([inspecting?.inspection, ...observers, parts.observer]);
    this.#metrics = metrics;
    this.sampler = telemetry.sampler;
    this.tap = tap;
    this.journal = journal;
    this.connections = connections;
    this.#inspecting = inspecting;
    this.stories = inspecting?.stories;
    if (inspecting) inspecting.inspection.onWire = observer.wire;
    const state = {
      ...dialectSettingsOf(settings),
      instance,
      process,
      readiness: () => this.#readiness(),
      control,
      metrics: metrics && (membership?.metrics ?? metricsSource(metrics, this.sampler)),
      tap,
      connections: connections && (membership?.connections ?? connections),
      stories: this.stories && (membership?.stories ?? this.stories),
      journal,
      nonces: new Nonces(membership?.nonceKey ?? randomBytes(32)),
    };
    const dialects = createDialects(settings.dialect, state);
    this.#described = lean ? undefined : new AnyPath(settings, parts.rules);
    const own = { ...common, ...callsOf(state), described: this.#described };
    this.#dispatch = new Dispatch({ ...settings, ...own, chaos, dialects, observer });
    const protocol = { ...limits, ...common, dispatch: this.#dispatch.run, observer };
    const h1 = new Http1Adapter(protocol);
    const h2 =
      settings.h2Engine === 'wirebin' ? new EngineAdapter(protocol) : new Http2Adapter(protocol);
    const onSecret = secretListener(keyLog, inspecting);
    const tlsLimits = { ...tlsSettingsOf(settings), headerTimeout: limits.headerTimeout };
    const on = new Set(settings.transports);
    const off = refusals({ transports: settings.transports, ...common, observer });
    const secure = { h2, h1: on.has('https/1.1') ? h1 : off.h1 };
    const tls = new TlsServer(secure, { ...credentials, ...tlsLimits, onSecret, observer });
    const handlers = selectHandlers(on, { tls, h2, h1 }, off);
    this.#http1 = h1;
    this.#http2 = h2;
    this.#tls = tls;
    const listening = { ...listenerSettingsOf(settings, limits), instance, process, observer };
    this.#listener = new Listener(handlers, { ...listening, worker: membership?.worker });
  }

  /**
   * @param given parts in place of those made from settings; `observer` is added to others
   * @throws if the certificate cannot be read or used, or the key log cannot be opened; SettingsError for other settings
   */
  static async create(
    settings: Settings,
    log: Logger,
    given: Partial<Parts> = {},
  ): Promise<Service> {
    await checkMethodPaths(settings);
    const rules = given.rules ?? (await loadRules(settings));
    const credentials = given.credentials ?? (await loadCredentials(settings));
    const keyLog = await openConfiguredKeyLog(settings, log);
    const inspecting = await openInspection(settings, log);
    return new Service(settings, log, {
      limits: limitsOf(settings),
      ...given,
      rules,
      credentials,
      keyLog,
      inspecting,
    });
  }

  /** Opens the port. @throws a system error, such as EADDRINUSE */
  async listen(): Promise<AddressInfo> {
    // After a drain, the same port is opened again, even if it was chosen freely at first.
    const { port } = this.#address ?? this.#settings;
    this.#address = await this.#listener.listen(port, this.#settings.host);
    return this.#address;
  }

  /** Serves a connection that another process has accepted. */
  accept(socket: Socket): void {
    this.#listener.accept(socket);
  }

  /** Reloads the certificate. Open connections are kept. @throws as `create`; then the old certificate stays in use */
  async renewCertificate(): Promise<void> {
    this.renew(await loadCredentials(this.#settings));
  }

  /** Uses credentials for new handshakes. @throws if they cannot be used; then the old ones stay in use */
  renew(credentials: Credentials): void {
    this.#tls.setCredentials(credentials);
  }

  /** Reads the rules of --respond again. @throws SettingsError; then the old rules stay */
  async renewRules(): Promise<void> {
    this.setRules(await loadRules(this.#settings));
  }

  /** Uses rules for requests from now on. */
  setRules(rules: readonly RuleText[]): void {
    this.#described?.setRules(rules);
  }

  /** The counts of this process since its start; undefined if metrics are off. */
  counts(): Statistics | undefined {
    return this.#metrics?.view().all_time;
  }

  /** Resolves when the journal has all messages that were rejected so far. */
  settleRejections(): Promise<void> {
    return this.#http2.settleRejections();
  }

  /** Counts a promise that was rejected without a handler. */
  countUnhandledRejection(): void {
    this.#metrics?.unhandledRejection();
  }

  /**
   * Stops gracefully: /readyz fails, no further connections are accepted, and open requests are completed.
   *
   * @returns the number of requests that were aborted after --drain-timeout
   */
  async drain(): Promise<number> {
    this.#rehearsal.cancel();
    this.markNotReady();
    await pause(this.#settings.drainDelay * SECOND);
    return this.finish();
  }

  /** First step of a drain: `/readyz` responds with 503 from now on. */
  markNotReady(): void {
    this.#draining = true;
  }

  /**
   * Second step of a drain: stops accepting connections, and closes when open requests are complete.
   *
   * @returns the number of requests that were aborted after --drain-timeout
   */
  async finish(): Promise<number> {
    void this.#listener.close();
    const aborted = await this.drainConnections(this.#settings.drainTimeout);
    await this.stop();
    return aborted;
  }

  /**
   * Completes open requests, and closes all connections. If another drain begins, it takes over, and this one aborts
   * nothing.
   *
   * @param timeout in seconds
   * @returns the number of aborted requests
   */
  async drainConnections(timeout: number): Promise<number> {
    const drain = ++this.#drains;
    this.tap?.end();
    this.journal?.endWaits();
    this.#drainState.isDraining = true;
    this.#http2.drain();
    this.#dispatch.upgraded.drain();
    const deadline = performance.now() + timeout * SECOND;
    // The response to the next request on a connection announces the close. Idle connections are closed after a grace
    // period, so that a request on its way is still served.
    while (this.#listener.connections.size > 0 && performance.now() < deadline) {
      this.#http1.closeIdle(IDLE_GRACE);
      this.#http2.closeIdle(IDLE_GRACE);
      this.#listener.abortUndetected(performance.now() - HANDSHAKE_GRACE);
      await pause(DRAIN_POLL_INTERVAL);
      if (drain !== this.#drains) return 0;
    }
    let aborted = 0;
    for (const connection of this.#listener.connections) aborted += connection.requests.open;
    this.#abort();
    return aborted;
  }

  /** Serves new connections again after `drainConnections`. */
  resume(): void {
    this.#drains++;
    this.#drainState.isDraining = false;
    this.tap?.resume();
    this.#draining = false;
  }

  /** Makes /readyz succeed or fail, unless the service is draining. */
  setReady(ready: boolean): void {
    this.#isReady = ready;
  }

  /** Aborts all connections. Resolves when the last one is closed. */
  async stop(): Promise<void> {
    const closed = this.#listener.close();
    this.close();
    await closed;
  }

  /** Aborts all connections. */
  close(): void {
    this.#rehearsal.cancel();
    this.sampler?.close();
    this.#drains++;
    this.#http1.close();
    this.#http2.close();
    this.#listener.destroy();
    this.#keyLog?.close();
    this.#inspecting?.inspection.close();
  }

  #abort(): void {
    this.#http2.abort();
    this.#listener.abort();
  }

  #readiness(): Readiness {
    if (this.#draining) return 'draining';
    return this.#isReady ? 'ready' : 'not-ready';
  }

  #createRehearsal(log: Logger, exit: Parts['exit']): Rehearsal {
    const service: Drainable = {
      markNotReady: async () => this.markNotReady(),
      closePort: () => this.#listener.closePort(),
      drainConnections: async (timeout) => this.drainConnections(timeout),
      openPort: async () => void (await this.listen()),
      resume: async () => this.resume(),
    };
    return new Rehearsal(service, log, () => exit?.(1));
  }

  #controlActions(exit: Parts['exit']): ControlActions {
    return {
      setReady: async (ready) => this.setReady(ready),
      rehearseDrain: async (plan) => this.#rehearsal.start(plan),
      exit: (code) => exit?.(code),
    };
  }
}

/** Loads gRPC when it is first used: most services never are. */
function callsOf(state: CallSettings & Pick<Settings, 'grpc'>) {
  const loadCalls = async () => {
    const { createCalls } = await import('../grpc/calls.ts');
    return createCalls(state);
  };
  return state.grpc ? { loadCalls } : undefined;
}

type Handlers = ProtocolHandlers<'tls' | 'h2' | 'h1'>;

function selectHandlers(on: ReadonlySet<Protocol>, served: Handlers, off: Handlers): Handlers {
  return {
    tls: on.has('https/1.1') || on.has('h2') ? served.tls : off.tls,
    h2: on.has('h2c') ? served.h2 : off.h2,
    h1: on.has('http/1.1') ? served.h1 : off.h1,
  };
}

/** Listener for TLS secrets; undefined if nothing needs them. */
function secretListener(keyLog: KeyLog | undefined, inspecting: Inspecting | undefined) {
  if (!keyLog && !inspecting) return undefined;
  return (line: Buffer, connection: Connection | undefined): void => {
    keyLog?.write(line);
    inspecting?.inspection.secret(line, connection);
  };
}
