import { hostPort } from '../http/ip-address.ts';
import { causeFromError, type CloseCause } from '../net/close-reason.ts';
import type { Connection } from '../net/connection.ts';
import type { TcpConnection } from '../net/tcp-connection.ts';
import { detectProtocol } from '../net/detect-protocol.ts';
import type { CaptureObserver } from './capture.ts';
import type {
  ByteObserver,
  ConnectionInspector,
  RequestTap,
  StreamRefusedListener,
} from '../net/inspector.ts';
import type { RejectedMessage } from '../net/rejected-message.ts';
import type { ServerFlight } from '../wire/tls/server-flight.ts';
import { parseProxyHeader } from '../wire/proxy-protocol/read.ts';
import { DeferredReader } from './deferred-reader.ts';
import { Http1Reader } from './http1/http1-reader.ts';
import { nghttp2Rules } from '../wire/http2/message-rules.ts';
import { Http2Reader } from './http2/http2-reader.ts';
import type { InspectMemory } from './memory.ts';
import type { ProtocolReader } from './protocol-reader.ts';
import { http1Fingerprints, http2Fingerprints } from './views/fingerprints-view.ts';
import { requestView } from './views/http1-view.ts';
import { frameView, streamView } from './views/http2-view.ts';
import { recordView, withRecords } from './views/tls-view.ts';
import { NOTHING_REDACTED, type Redaction, type View } from './views/view.ts';
import { connectionRejected, http2Rejected } from './rejected.ts';
import { TcpTrace, type TcpEnd } from './tcp.ts';
import { TlsReader } from './tls/tls-reader.ts';

const HTTP1_LIMITS = {
  keptSection: 32 * 1024,
  chunks: 64,
  messages: 64,
  rest: 4096,
};
const NGHTTP2_RULES = nghttp2Rules(process.versions['nghttp2'] ?? '');
/** TLS records that are kept of each direction. */
const MAX_RECORDS = 64;

/** Estimated bytes of an inspected connection in memory, without what its readers keep. */
const OVERHEAD = 8 * 1024;
/**
 * Bytes that every open connection counts at least: what it may still keep when the memory is used up, with its TLS
 * records, dynamic tables and transfers.
 */
export const RESERVED = 48 * 1024;

export interface ConnectionInspectionOptions {
  readonly memory: InspectMemory;
  readonly limits: NativeLimits;
  /** Called with each HTTP/2 frame and TLS record. */
  readonly onWire: WireListener;
  /** Also gets the bytes of TCP. */
  readonly capture: CaptureObserver | undefined;
}

/** Limits that Node enforces. */
export interface NativeLimits {
  /** Maximum bytes of a header section. */
  readonly headerSize: number;
  /** Maximum fields of an HTTP/2 header section. */
  readonly fields: number;
}

/** What is reported while the connection is open. */
export type WireKind = 'frame' | 'record';

/** @param view only called if somebody reads the frame or record */
export type WireListener = (
  connection: Connection,
  kind: WireKind,
  view: (redaction: Redaction) => View,
) => void;

/** Reads all bytes of one connection on three layers: TCP, TLS and HTTP. Times are those of `performance.now()`. */
export class ConnectionInspection implements ConnectionInspector {
  readonly openedAt: number;
  readonly tcp: Readonly<TcpTrace> = new TcpTrace();
  #onStreamRefused: StreamRefusedListener | undefined;
  /** The reader of TLS; undefined without TLS. */
  tls: TlsReader | undefined;
  /** The reader of HTTP/1.x; undefined until that is detected. */
  http1: Http1Reader | undefined;
  /** The reader of HTTP/2; undefined until that is detected. */
  http2: Http2Reader | undefined;
  /** Cause and time of the close; undefined while the connection is open. */
  closed: { readonly cause: CloseCause; readonly time: number } | undefined;
  /** Length of the PROXY header, which precedes TLS or HTTP. */
  proxyHeaderLength = 0;
  readonly #options: ConnectionInspectionOptions;
  /** Reader of the TCP bytes: TLS, or HTTP without TLS. */
  readonly #transportReader = new DeferredReader();
  /** Reader of the bytes that TLS carries. */
  readonly #plaintextReader = new DeferredReader();
  /** The connection while it is open. */
  #connection: TcpConnection | undefined;
  /** Facts as of when the connection was opened, and from its end on as of then. */
  #facts: ReturnType<typeof connectionFacts>;
  #bytesCounted = 0;

  constructor(connection: TcpConnection, options: ConnectionInspectionOptions) {
    this.#connection = connection;
    this.#facts = connectionFacts(connection);
    this.openedAt = connection.openedAt;
    this.#options = options;
    this.updateMemory();
  }

  get facts() {
    return this.#connection ? connectionFacts(this.#connection) : this.#facts;
  }

  /** The first bytes received, if no protocol was detected. */
  get undetected(): { readonly bytes: Buffer; readonly length: number } {
    return (this.#transportReader.isStarted ? this.#plaintextReader : this.#transportReader)
      .undetected;
  }

  /** Observes the bytes of TCP. */
  readonly transport: ByteObserver = {
    received: (bytes) => {
      this.tcp.received(bytes.length, performance.now());
      this.#options.capture?.received(bytes);
      this.#transportReader.received(bytes);
      this.updateMemory();
    },
    receivedEnd: () => this.#noteEnd('client', 'fin'),
    sent: (bytes) => {
      this.tcp.sent(bytes.length, performance.now());
      this.#options.capture?.sent(bytes);
      this.#transportReader.sent(bytes);
      this.updateMemory();
    },
    sentEnd: () => {
      this.#noteEnd('wirebin', 'fin');
      this.#transportReader.sentEnd();
    },
  };

  /** Observes the bytes that TLS carries. */
  readonly plaintext: ByteObserver = {
    received: (bytes) => {
      this.tls?.httpRecords.client.read(bytes.length);
      this.#plaintextReader.received(bytes);
    },
    // receivedEnd is ignored, because the TLS records show close_notify.
    receivedEnd: () => undefined,
    sent: (bytes) => {
      // TLS accepts bytes even after the TCP connection was lost. They are never sent.
      if (this.#connection?.socket.writable !== true) return;
      this.tls?.httpRecords.server.written(bytes.length);
      this.#plaintextReader.sent(bytes);
    },
    sentEnd: () => this.#plaintextReader.sentEnd(),
  };

  /** @param line of the connection's key log (RFC 9850) */
  secret(line: string): void {
    this.startTls();
    this.tls?.keyLog(line);
  }

  /** Call when TLS was detected. */
  startTls(): void {
    if (this.tls) return;
    const tls = new TlsReader(MAX_RECORDS, (from, record) =>
      this.#observeWire('record', () => ({ from, ...recordView(record) })),
    );
    this.tls = tls;
    this.#transportReader.start(tls, this.#readProxyHeader());
  }

  /** Call when `connection.protocol` was set. */
  detected({ protocol, tls }: Connection): void {
    const reader =
      protocol === 'h2' || protocol === 'h2c'
        ? this.#createHttp2Reader()
        : this.#createHttp1Reader();
    if (tls) this.#plaintextReader.start(reader, 0);
    else this.#transportReader.start(reader, this.#readProxyHeader());
  }

  serverFlight(): ServerFlight | undefined {
    // If the handshake has no secrets yet, nothing has been read.
    this.startTls();
    return this.tls?.flight;
  }

  get requestTap(): RequestTap | undefined {
    return this.http1?.requestTap;
  }

  rejectedMessage(stream: number): RejectedMessage | undefined {
    const facts = this.http2?.stream(stream);
    return facts && http2Rejected(facts);
  }

  rejectedFrame(reason?: string): RejectedMessage | undefined {
    const reader = this.http2;
    const frame = reader?.errorFrame(reason);
    const ofStream = frame && frame.stream > 0 ? reader?.stream(frame.stream) : undefined;
    return frame && connectionRejected(frame, ofStream);
  }

  onStreamRefused(listener: StreamRefusedListener): void {
    this.#onStreamRefused = listener;
  }

  refusalReason(stream: number): string | undefined {
    const [first] = this.http2?.stream(stream)?.refusalReasons ?? [];
    return first && `${first.reason} (${first.section})`;
  }

  /**
   * @param request its number on the connection, from 1
   * @param stream HTTP/2: its stream
   * @returns undefined if it is not known
   */
  requestView(request: number, stream?: number) {
    const http2 = this.http2;
    const redaction = withRecords(NOTHING_REDACTED, this.tls);
    if (http2) {
      const facts = stream === undefined ? undefined : http2.stream(stream);
      if (!facts) return undefined;
      const view = streamView(facts, this.openedAt, redaction);
      return { ...view, fingerprints: http2Fingerprints(facts, http2.opening) };
    }
    const trace = this.http1?.request(request);
    if (!trace) return undefined;
    const view = requestView(trace, this.openedAt, redaction);
    return { ...view, fingerprints: http1Fingerprints(trace) };
  }

  /** Call when Node has made a request of an HTTP/2 stream. */
  delivered(stream: number): void {
    this.http2?.delivered(stream);
  }

  /** Call with an error of the TCP socket. */
  failed(error: NodeJS.ErrnoException): void {
    if (causeFromError(error).reason === 'reset') this.#noteEnd('client', 'rst');
  }

  /** Call when wirebin resets the connection. */
  reset(): void {
    this.#noteEnd('wirebin', 'rst');
  }

  /** Call when the connection was closed. Keeps what was read, and drops the reference to the connection. */
  close(): void {
    const connection = this.#connection;
    if (!connection) return;
    const cause = connection.closeCause;
    if (cause.reason === 'reset') this.#noteEnd('client', 'rst');
    // The kernel sends FIN when the socket is closed, unless the connection was reset.
    if (cause.by !== 'error' && !this.tcp.isReset) this.#noteEnd('wirebin', 'fin');
    if (!this.#transportReader.isStarted && this.#startsWithTls()) this.startTls();
    this.#facts = connectionFacts(connection);
    this.closed = { cause, time: performance.now() };
    this.#connection = undefined;
    // It refers to the session.
    this.#onStreamRefused = undefined;
    this.http1?.release();
    const before = this.#bytesCounted;
    this.#bytesCounted = this.#bytesKept;
    this.#options.memory.closed(before, this.#bytesCounted);
  }

  /** Call if an error of the inspection ends it before the connection is closed. */
  abandon(): void {
    this.#options.memory.changed(-this.#bytesCounted);
    this.#connection = undefined;
    this.#onStreamRefused = undefined;
  }

  /** Call when this inspection is dropped. */
  release(): void {
    this.#options.memory.released(this.#bytesCounted);
  }

  #noteEnd(by: TcpEnd['by'], how: TcpEnd['how']): void {
    this.tcp.ended({ by, how, time: performance.now() });
    this.#options.capture?.ended(by === 'client' ? 'client' : 'server', how);
  }

  #createHttp1Reader(): ProtocolReader {
    const limit = (): number => this.#httpLimit;
    this.http1 = new Http1Reader({
      ...HTTP1_LIMITS,
      section: this.#options.limits.headerSize,
      // Half of the limit for each direction.
      get bytes() {
        return limit() / 2;
      },
    });
    return this.http1;
  }

  #createHttp2Reader(): ProtocolReader {
    const { limits } = this.#options;
    this.http2 = new Http2Reader({
      rules: NGHTTP2_RULES,
      maxFields: limits.fields,
      maxListSize: limits.headerSize,
      maxKept: () => this.#httpLimit,
      onFrame: (seen) =>
        this.#observeWire('frame', (redaction) => frameView(seen, this.openedAt, redaction)),
      onRefused: ({ id, aboveLimit }) => this.#onStreamRefused?.(id, aboveLimit),
    });
    return this.http2;
  }

  #observeWire(kind: WireKind, view: (redaction: Redaction) => View): void {
    if (this.#connection) this.#options.onWire(this.#connection, kind, view);
  }

  #startsWithTls(): boolean {
    return (
      detectProtocol(this.#transportReader.undetected.bytes.subarray(this.#readProxyHeader())) ===
      'tls'
    );
  }

  /** Reads the PROXY header. Call before the first bytes are passed to a reader. @returns its length */
  #readProxyHeader(): number {
    if (!this.#connection?.proxyHeader) return 0;
    const result = parseProxyHeader(this.#transportReader.undetected.bytes);
    this.proxyHeaderLength = result.kind === 'header' ? result.length : 0;
    return this.proxyHeaderLength;
  }

  get #bytesKept(): number {
    const content = this.#transportReader.bytesKept + this.#plaintextReader.bytesKept;
    return OVERHEAD + this.tcp.bytesKept + content;
  }

  /** Bytes that the HTTP reader may keep. */
  get #httpLimit(): number {
    return this.#options.memory.limit(this.#bytesCounted - RESERVED);
  }

  /** Call when more was read. */
  updateMemory(): void {
    if (!this.#connection) return;
    const bytes = Math.max(RESERVED, this.#bytesKept);
    this.#options.memory.changed(bytes - this.#bytesCounted);
    this.#bytesCounted = bytes;
  }
}

/** An inspection, for what shows it. */
export type Inspected = Readonly<ConnectionInspection>;

/** What is known of a connection apart from its bytes. */
function connectionFacts(connection: Connection) {
  const { id, worker, protocol, requests } = connection;
  return {
    id,
    worker,
    protocol,
    remote: hostPort(connection.remoteAddress, connection.remotePort),
    peer: hostPort(connection.peerAddress, connection.peerPort),
    local: hostPort(connection.localAddress, connection.localPort),
    requests: requests.total,
    openRequests: requests.open,
  };
}
