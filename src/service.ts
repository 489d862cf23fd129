import { randomBytes } from 'node:crypto';
import type { AddressInfo, Socket } from 'node:net';
import { hostname } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import type { Settings } from './settings/settings.ts';
import { limitsOf, SECOND, type Limits } from './settings/limits.ts';
import { loadCredentials, openConfiguredKeyLog } from './settings/credentials.ts';
import { createDialects } from './dialects/all.ts';
import { Dispatch } from './server/dispatch.ts';
import type { Exchange, ExchangeObserver } from './server/exchange.ts';
import { combineObservers } from './server/observers.ts';
import { Nonces } from './server/nonces.ts';
import type { Log } from './telemetry/log.ts';
import { Http1Adapter } from './protocols/http1/server.ts';
import { Http2Adapter } from './protocols/http2/server.ts';
import { Terminations } from './telemetry/terminations.ts';
import type { ConnectionSource } from './telemetry/connection-statistics.ts';
import { Metrics } from './telemetry/metrics.ts';
import { logRequest } from './telemetry/access-log.ts';
import type { MetricsSource, Statistics } from './telemetry/statistics.ts';
import { Tap, type ReadAllBatches } from './telemetry/tap/tap.ts';
import { Trace, type TraceWriter } from './telemetry/trace.ts';
import type { KeyLog } from './net/key-log.ts';
import { Listener } from './net/listener.ts';
import { TlsServer, type Credentials } from './net/tls-server.ts';

/** Milliseconds that a drain waits for a request in flight on an idle connection. */
const IDLE_GRACE = SECOND;
/** Milliseconds that a drain allows for protocol detection and the TLS handshake. */
const HANDSHAKE_GRACE = 3 * SECOND;
const DRAIN_POLL_INTERVAL = 50;

/** What a service in a worker process shares with the other workers. */
export interface ClusterMembership {
  /** The number of this worker. */
  readonly worker: number;
  /** The metrics of all workers. */
  readonly metrics: MetricsSource;
  /** The connection statistics of all workers. */
  readonly connections: ConnectionSource;
  /** Reads the recorded tap events of all workers. */
  readonly readBatches: ReadAllBatches;
  /** The shared key that authenticates nonces: 32 random bytes. */
  readonly nonceKey: Uint8Array;
}

/** The running service, which creates and connects all parts. */
export class Service {
  readonly #settings: Settings;
  readonly #listener: Listener;
  readonly #tls: TlsServer;
  readonly #http1: Http1Adapter;
  readonly #http2: Http2Adapter;
  readonly #keyLog: KeyLog | undefined;
  readonly #metrics: Metrics | undefined;
  readonly #observer: ExchangeObserver | undefined;
  /** undefined without --tap. */
  readonly tap: Tap | undefined;
  #draining = false;

  private constructor(
    settings: Settings,
    log: Log,
    credentials: Credentials,
    keyLog: KeyLog | undefined,
    membership: ClusterMembership | undefined,
    limits: Limits,
    trace: Trace | undefined,
  ) {
    this.#settings = settings;
    this.#keyLog = keyLog;
    const metrics = settings.metricsEnabled ? new Metrics() : undefined;
    this.#metrics = metrics;
    const redactPath = (path: string): string => dialects.shownPath(path);
    const secrets = settings.tapSecrets;
    const tap = settings.tap ? new Tap({ secrets, redactPath, membership }) : undefined;
    this.tap = tap;
    this.#observer = combineObservers(tap, trace);
    const dialects = createDialects(settings.dialect, {
      ...stateOf(settings),
      isDraining: () => this.#draining,
      metrics: metrics && (membership?.metrics ?? metrics),
      tap,
      connections: tap && (membership?.connections ?? tap.statistics),
      nonces: new Nonces(membership?.nonceKey ?? randomBytes(32)),
    });
    const terminations = new Terminations(log, metrics, redactPath);
    const connFields = settings.connHeaders;
    const dispatch = new Dispatch({
      dialects,
      ...settings,
      connFields,
      observe: (exchange, endpoint, status) => {
        metrics?.count(endpoint, status);
        if (tap) exchange.respondedAt = performance.now();
        trace?.responded(exchange, endpoint, status);
        if (settings.logRequests) logRequest(log, exchange, endpoint, status);
      },
      onProblem: terminations.onProblem,
      onInternalError: (error) => log.error({ err: error }, 'internal error in a request'),
    });
    const protocol = {
      ...limits,
      dispatch: (exchange: Exchange): void => dispatch.run(exchange),
      observer: this.#observer,
    };
    this.#http1 = new Http1Adapter({
      ...protocol,
      connFields,
      onRejectedMessage: terminations.onRejectedMessage,
    });
    this.#http2 = new Http2Adapter({
      ...protocol,
      onStreamAborted: terminations.onTerminated,
      onRejected: terminations.onRejected,
    });
    this.#tls = this.#createTlsServer(credentials, limits, terminations);
    this.#listener = this.#createListener(limits, membership?.worker, log, terminations);
  }

  /**
   * @param given credentials and limits to use instead of those from the settings; `trace` writes trace lines
   * @throws if the certificate cannot be read or used, or the key log cannot be opened
   */
  static async create(
    settings: Settings,
    log: Log,
    given: Readonly<{
      credentials?: Credentials;
      membership?: ClusterMembership;
      limits?: Limits;
      trace?: TraceWriter | undefined;
    }> = {},
  ): Promise<Service> {
    const credentials = given.credentials ?? (await loadCredentials(settings));
    const keyLog = await openConfiguredKeyLog(settings, log);
    const { membership, limits = limitsOf(settings) } = given;
    const trace = given.trace && new Trace(given.trace);
    return new Service(settings, log, credentials, keyLog, membership, limits, trace);
  }

  /** @throws a system error, such as EADDRINUSE */
  async listen(): Promise<AddressInfo> {
    return this.#listener.listen(this.#settings.port, this.#settings.host);
  }

  /** Serves a connection that another process has accepted. */
  accept(socket: Socket): void {
    this.#listener.accept(socket);
  }

  /** Reloads the certificate; open connections are kept. @throws as `create`; the old certificate stays in use */
  async renewCertificate(): Promise<void> {
    this.renew(await loadCredentials(this.#settings));
  }

  /** Uses the credentials for new handshakes. @throws if they cannot be used; the old ones stay in use */
  renew(credentials: Credentials): void {
    this.#tls.setCredentials(credentials);
  }

  /** The metrics of this process since its start; undefined if metrics are off. */
  counts(): Statistics | undefined {
    return this.#metrics?.view().all_time;
  }

  /**
   * Stops gracefully: reports not ready, stops accepting connections, completes open requests.
   *
   * @returns the number of requests that were aborted when --drain-timeout was over
   */
  async drain(): Promise<number> {
    this.markNotReady();
    await pause(this.#settings.drainDelay * SECOND);
    return this.finish();
  }

  /** The first step of a drain: `/readyz` responds with 503 from now on. */
  markNotReady(): void {
    this.#draining = true;
  }

  /**
   * The second step of a drain: stops accepting connections, and closes once open requests are complete.
   *
   * @returns the number of requests that were aborted when --drain-timeout was over
   */
  async finish(): Promise<number> {
    void this.#listener.close();
    this.tap?.end();
    this.#http1.drain();
    this.#http2.drain();
    const deadline = performance.now() + this.#settings.drainTimeout * SECOND;
    // The response to the next request on a connection announces the close. An idle connection is
    // closed after a grace period, so that a request in flight is still served.
    while (this.#listener.connections.size > 0 && performance.now() < deadline) {
      this.#http1.closeIdle(IDLE_GRACE);
      this.#http2.closeIdle(IDLE_GRACE);
      this.#listener.abortUndetected(performance.now() - HANDSHAKE_GRACE);
      await pause(DRAIN_POLL_INTERVAL);
    }
    let aborted = 0;
    for (const connection of this.#listener.connections) aborted += connection.openRequests;
    await this.stop();
    return aborted;
  }

  /** Aborts everything; resolves when the last connection is closed. */
  async stop(): Promise<void> {
    const closed = this.#listener.close();
    this.close();
    await closed;
  }

  /** Aborts everything. */
  close(): void {
    this.#http1.close();
    this.#http2.close();
    this.#listener.destroy();
    this.#keyLog?.close();
  }

  #createTlsServer(
    credentials: Credentials,
    limits: Limits,
    terminations: Terminations,
  ): TlsServer {
    const keyLog = this.#keyLog;
    return new TlsServer(
      {
        h2: (connection, socket) => this.#http2.accept(connection, socket),
        h1: (connection, socket) => this.#http1.accept(connection, socket),
        handshakeFailed: terminations.onHandshakeFailed,
        alpnMismatch: terminations.onRejected,
      },
      {
        ...credentials,
        ...tlsSettingsOf(this.#settings),
        headerTimeout: limits.headerTimeout,
        onSecret: keyLog && ((line) => keyLog.write(line)),
        observer: this.#observer,
      },
    );
  }

  #createListener(
    limits: Limits,
    worker: number | undefined,
    log: Log,
    terminations: Terminations,
  ): Listener {
    const settings = this.#settings;
    return new Listener(
      {
        tls: (connection) => this.#tls.accept(connection),
        h2: (connection) => this.#http2.accept(connection, connection.socket),
        h1: (connection) => this.#http1.accept(connection, connection.socket),
      },
      {
        headerTimeout: limits.headerTimeout,
        sweepInterval: limits.sweepInterval / 2,
        maxConnections: settings.maxConnections || Infinity,
        worker,
        proxyProtocol: settings.proxyProtocol,
        onProxyHeaderError: terminations.onProxyFault,
        trustProxy: settings.trustProxy,
        observer: this.#observer,
        onTerminated: terminations.onTerminated,
        onAcceptError: ({ message }) => log.error({ detail: message }, 'a connection was lost'),
      },
    );
  }
}

/** The settings in the form that dialects and endpoints use. */
function stateOf(settings: Settings) {
  const { namespace = '', ingressName = '', serviceName = '', podName = '' } = settings;
  return {
    ...settings,
    hostname: settings.hostnameEnabled ? hostname() : undefined,
    disabled: settings.disable,
    pod: { namespace, ingress: ingressName, service: serviceName, pod: podName },
  };
}

function tlsSettingsOf({ clientCert, tlsMin, tlsMax, tlsCiphers }: Settings) {
  return { clientCert, minVersion: tlsMin, maxVersion: tlsMax, ciphers: tlsCiphers };
}
