import { randomBytes } from 'node:crypto';
import type { AddressInfo, Socket } from 'node:net';
import { hostname } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import type { Settings } from './settings/settings.ts';
import { limitsOf, SECOND, type Limits } from './settings/limits.ts';
import { credentialsOf, keyLogOf } from './settings/credentials.ts';
import { dialectsOf } from './dialects/all.ts';
import { Dispatch } from './server/dispatch.ts';
import type { Exchange, ExchangeObserver } from './server/exchange.ts';
import { observersOf } from './server/observers.ts';
import { Nonces } from './server/nonces.ts';
import type { Log } from './telemetry/log.ts';
import { Http1Adapter } from './protocols/http1/server.ts';
import { Http2Adapter } from './protocols/http2/server.ts';
import { Terminations } from './telemetry/terminations.ts';
import type { ConnectionSource } from './telemetry/connection-statistics.ts';
import { Metrics } from './telemetry/metrics.ts';
import { logRequest } from './telemetry/access-log.ts';
import type { MetricsSource, Statistics } from './telemetry/statistics.ts';
import { Tap, type BatchesOfAll } from './telemetry/tap/tap.ts';
import { Trace, type TraceWriter } from './telemetry/trace.ts';
import type { KeyLog } from './net/key-log.ts';
import { Listener } from './net/listener.ts';
import { TlsServer, type Credentials } from './net/tls-server.ts';

/** Milliseconds a connection gets, on a drain, for a request that is on its way. */
const LAST_REQUEST = SECOND;
/** Milliseconds it may take, on a drain, to say what it speaks and shake hands. */
const HANDSHAKE = 3 * SECOND;
const DRAIN_CHECK = 50;

/** What makes a service one of several, each in a process of its own. */
export interface ClusterMembership {
  /** The number of this process. */
  readonly worker: number;
  /** The metrics of all of them. */
  readonly metrics: MetricsSource;
  /** The connections of all of them. */
  readonly connections: ConnectionSource;
  /** What the taps of all of them have kept. */
  readonly looks: BatchesOfAll;
  /** What all of them prove nonces with: 32 random bytes. */
  readonly nonceKey: Uint8Array;
}

/** The running service: everything is put together here, and nowhere else. */
export class Service {
  readonly #settings: Settings;
  readonly #listener: Listener;
  readonly #tls: TlsServer;
  readonly #http1: Http1Adapter;
  readonly #http2: Http2Adapter;
  readonly #keyLog: KeyLog | undefined;
  readonly #metrics: Metrics | undefined;
  readonly #observer: ExchangeObserver | undefined;
  /** undefined where it is off. */
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
    const shownPath = (path: string): string => dialects.shownPath(path);
    const secrets = settings.tapSecrets;
    const tap = settings.tap ? new Tap({ secrets, shownPath, membership }) : undefined;
    this.tap = tap;
    this.#observer = observersOf(tap, trace);
    const dialects = dialectsOf(settings.dialect, {
      ...stateOf(settings),
      isDraining: () => this.#draining,
      metrics: metrics && (membership?.metrics ?? metrics),
      tap,
      connections: tap && (membership?.connections ?? tap.ledger),
      nonces: new Nonces(membership?.nonceKey ?? randomBytes(32)),
    });
    const terminations = new Terminations(log, metrics, shownPath);
    const connFields = settings.connHeaders;
    const handling = new Dispatch({
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
      onInternalError: (error) => log.error({ err: error }, 'a request met a defect'),
    });
    const protocol = {
      ...limits,
      dispatch: (exchange: Exchange): void => handling.run(exchange),
      observer: this.#observer,
    };
    this.#http1 = new Http1Adapter({
      ...protocol,
      connFields,
      onRejectedMessage: terminations.onRefused,
    });
    this.#http2 = new Http2Adapter({
      ...protocol,
      onStreamAborted: terminations.onCut,
      onRejected: terminations.onRejected,
    });
    this.#tls = this.#createTlsServer(credentials, limits, terminations);
    this.#listener = this.#createListener(limits, membership?.worker, log, terminations);
  }

  /**
   * @param given what its owner has already; credentials and limits in place of those that the settings name;
   * what writes the trace, if there is to be one
   * @throws where the certificate cannot be read or used, or the key log not be opened
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
    const credentials = given.credentials ?? (await credentialsOf(settings));
    const keyLog = await keyLogOf(settings, log);
    const { membership, limits = limitsOf(settings) } = given;
    const trace = given.trace && new Trace(given.trace);
    return new Service(settings, log, credentials, keyLog, membership, limits, trace);
  }

  /** @throws the system's error, such as EADDRINUSE */
  async listen(): Promise<AddressInfo> {
    return this.#listener.listen(this.#settings.port, this.#settings.host);
  }

  /** Takes a connection that another process has accepted, in place of listening. */
  accept(socket: Socket): void {
    this.#listener.accept(socket);
  }

  /** Reads the certificate again; connections stay. @throws as create does, the old one stays */
  async renewCertificate(): Promise<void> {
    this.renew(await credentialsOf(this.#settings));
  }

  /** Uses these for later handshakes. @throws where they cannot be used, the old ones stay */
  renew(credentials: Credentials): void {
    this.#tls.setCredentials(credentials);
  }

  /** What this process has counted since its start; undefined where metrics are off. */
  counts(): Statistics | undefined {
    return this.#metrics?.view().all_time;
  }

  /**
   * Stops in order: not ready, then no new connections, then the open requests are finished.
   *
   * @returns how many requests were cut because the time was up
   */
  async drain(): Promise<number> {
    this.markNotReady();
    await pause(this.#settings.drainDelay * SECOND);
    return this.finish();
  }

  /** The first part of a drain: `/readyz` says 503 from now on. */
  markNotReady(): void {
    this.#draining = true;
  }

  /**
   * The rest of a drain: no new connections, and an end once the open requests are finished.
   *
   * @returns how many requests were cut because the time was up
   */
  async finish(): Promise<number> {
    void this.#listener.close();
    this.tap?.end();
    this.#http1.drain();
    this.#http2.drain();
    const timeUp = performance.now() + this.#settings.drainTimeout * SECOND;
    // A client that uses its connection learns of the stop from the answer to its next request; one
    // that does not would never learn, and is closed once a request under way has had time to come.
    while (this.#listener.connections.size > 0 && performance.now() < timeUp) {
      this.#http1.closeIdle(LAST_REQUEST);
      this.#http2.closeIdle(LAST_REQUEST);
      this.#listener.abortUndetected(performance.now() - HANDSHAKE);
      await pause(DRAIN_CHECK);
    }
    let cut = 0;
    for (const connection of this.#listener.connections) cut += connection.openRequests;
    await this.stop();
    return cut;
  }

  /** Ends everything at once; resolves when the last connection has gone. */
  async stop(): Promise<void> {
    const closed = this.#listener.close();
    this.close();
    await closed;
  }

  /** Ends everything at once. */
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
        failed: terminations.onHandshakeFailed,
        mismatch: terminations.onRejected,
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
        onTerminated: terminations.onCut,
        onAcceptError: ({ message }) => log.error({ detail: message }, 'a connection was lost'),
      },
    );
  }
}

/** What the settings make of dialects and their endpoints. */
function stateOf(settings: Settings) {
  const { namespace = '', ingressName = '', serviceName = '', podName = '' } = settings;
  return {
    ...settings,
    hostname: settings.hostnameEnabled ? hostname() : undefined,
    disabled: settings.disable,
    place: { namespace, ingress: ingressName, service: serviceName, pod: podName },
  };
}

function tlsSettingsOf({ clientCert, tlsMin, tlsMax, tlsCiphers }: Settings) {
  return { clientCert, minVersion: tlsMin, maxVersion: tlsMax, ciphers: tlsCiphers };
}
