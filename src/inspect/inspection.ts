import type { Socket } from 'node:net';
import type { CloseMethod } from '../net/close-reason.ts';
import type { Connection } from '../net/connection.ts';
import { TcpConnection } from '../net/tcp-connection.ts';
import type { ByteObserver, ConnectionInspector, RequestTap } from '../net/inspector.ts';
import { observeSocket } from '../net/node-internals.ts';
import {
  ConnectionInspection,
  type Inspected,
  RESERVED,
  type NativeLimits,
  type WireListener,
} from './connection-inspection.ts';
import type { Capture } from './capture.ts';
import { InspectMemory } from './memory.ts';

export interface InspectionOptions {
  /** Maximum memory in bytes of all inspected connections. */
  readonly memory: number;
  /** Maximum memory in bytes of one inspected connection. */
  readonly connectionMemory: number;
  readonly limits: NativeLimits;
  /** Called with the number of connections so far that are not inspected, because the memory is used up. */
  readonly onNotInspected: (connections: number) => void;
  /** Called with an internal error, which ends the inspection of the connection. */
  readonly onError: (error: unknown) => void;
  /** undefined without --inspect-file. */
  readonly capture: Capture | undefined;
}

const NO_MEMORY = 'when the connection was opened, others had used up --inspect-memory';
const FAILED = 'an error in wirebin ended the inspection of the connection; it has been logged';

/** Inspects all connections of a service. Closed ones are kept as long as there is memory. */
export class Inspection {
  /** Called with each HTTP/2 frame and TLS record. Its view is made only if somebody reads it. */
  onWire: WireListener | undefined;
  readonly #options: InspectionOptions;
  readonly #memory: InspectMemory;
  /** Connections by id, oldest first. */
  readonly #connections = new Map<string, ConnectionInspection>();
  readonly #closed = new Set<string>();
  #notInspected = 0;
  /** One for all: made for each connection, it would keep that connection as long as its inspection is kept. */
  readonly #reportWire: WireListener = (...event) => this.onWire?.(...event);

  constructor(options: InspectionOptions) {
    this.#options = options;
    const forget = (): void => this.#forgetOldest();
    this.#memory = new InspectMemory(options.memory, options.connectionMemory, forget);
  }

  /** Finds an open connection, or a closed one that is still kept, by id. */
  find(id: string): Inspected | undefined {
    return this.#connections.get(id);
  }

  /** Finds the id of the connection that issued a session ticket. @param ticket hash of the ticket */
  issuerOf(ticket: string): string | undefined {
    for (const [id, { tls }] of this.#connections) {
      if (tls?.issued.some(({ hash }) => hash === ticket)) return id;
    }
    return undefined;
  }

  /** Estimated memory of all connections, in bytes. */
  get memoryUsed(): number {
    return this.#memory.used;
  }

  opened(connection: Connection): void {
    if (!(connection instanceof TcpConnection)) return;
    if (!this.#memory.hasRoom(RESERVED)) {
      connection.inspect(NO_MEMORY);
      this.#notInspected++;
      this.#options.onNotInspected(this.#notInspected);
      return;
    }
    const inspection = new ConnectionInspection(connection, {
      memory: this.#memory,
      limits: this.#options.limits,
      capture: this.#options.capture?.open(connection),
      onWire: this.#reportWire,
    });
    connection.inspect(this.#guarded(connection, inspection));
    this.#connections.set(connection.id, inspection);
    this.#observe(connection, connection.socket, inspection.transport);
    connection.socket.on('error', (error) => {
      this.#safely(connection, () => inspection.failed(error));
    });
  }

  /** The inspection as the protocols call it, in events in which an error would end the process. */
  #guarded(connection: Connection, inspection: ConnectionInspection): ConnectionInspector {
    const safely = <T>(inspect: () => T): T | undefined => this.#safely(connection, inspect);
    return {
      get requestTap() {
        const tap = safely(() => inspection.requestTap);
        return tap && guardedTap(tap, safely, () => inspection.updateMemory());
      },
      serverFlight: () => safely(() => inspection.serverFlight()),
      rejectedMessage: (stream) => safely(() => inspection.rejectedMessage(stream)),
      rejectedFrame: (reason) => safely(() => inspection.rejectedFrame(reason)),
      refusalReason: (stream) => safely(() => inspection.refusalReason(stream)),
      requestView: (request, stream) => safely(() => inspection.requestView(request, stream)),
      onStreamRefused: (listener) => safely(() => inspection.onStreamRefused(listener)),
    };
  }

  secured(connection: Connection): void {
    const inspection = this.find(connection.id);
    if (!inspection) return;
    this.#safely(connection, () => inspection.startTls());
    if (connection instanceof TcpConnection)
      this.#observe(connection, connection.stream, inspection.plaintext);
  }

  /** Runs inspection code. An error ends the inspection; in a socket event, it would otherwise end the process. */
  #safely<T>(connection: Connection, inspect: () => T): T | undefined {
    if (connection.notInspected !== undefined) return undefined;
    try {
      return inspect();
    } catch (error) {
      connection.inspect(FAILED);
      this.find(connection.id)?.abandon();
      this.#connections.delete(connection.id);
      this.#options.onError(error);
      return undefined;
    }
  }

  #safelyIfFound(connection: Connection, inspect: (found: Inspected) => void): void {
    const inspection = this.find(connection.id);
    if (inspection) this.#safely(connection, () => inspect(inspection));
  }

  #observe(connection: Connection, socket: Socket, observer: ByteObserver): void {
    const safely = (observe: () => void): void => this.#safely(connection, observe);
    observeSocket(socket, {
      received: (bytes) => safely(() => observer.received(bytes)),
      receivedEnd: () => safely(() => observer.receivedEnd()),
      sent: (bytes) => safely(() => observer.sent(bytes)),
      sentEnd: () => safely(() => observer.sentEnd()),
    });
  }

  handshakeFailed(connection: Connection): void {
    this.#safelyIfFound(connection, (found) => found.startTls());
  }

  detected(connection: Connection): void {
    this.#safelyIfFound(connection, (found) => found.detected(connection));
  }

  /** Call with each TLS secret before the bytes that it decrypts. */
  secret(line: Buffer, connection: Connection | undefined): void {
    this.#options.capture?.secret(line);
    if (!connection) return;
    this.#safelyIfFound(connection, (found) => found.secret(line.toString('latin1')));
  }

  /** Notes that a stream became a request. HTTP/2 streams that are reset before that were refused. */
  began({
    connection,
    stream,
  }: {
    readonly connection: Connection;
    readonly stream: { readonly id: number } | undefined;
  }): void {
    if (stream) this.#safelyIfFound(connection, (found) => found.delivered(stream.id));
  }

  /** Ends the capture. */
  close(): void {
    this.#options.capture?.close();
  }

  closing(connection: Connection, how: CloseMethod): void {
    if (how === 'reset') this.#safelyIfFound(connection, (found) => found.reset());
  }

  closed(connection: Connection): void {
    this.#safelyIfFound(connection, (found) => {
      this.#closed.add(connection.id);
      found.close();
    });
  }

  /** Drops closed connections until there is enough free memory. */
  #forgetOldest(): void {
    for (const id of this.#closed) {
      if (!this.#memory.isFull) return;
      this.#closed.delete(id);
      this.find(id)?.release();
      this.#connections.delete(id);
    }
  }
}

/** A tap whose errors do not reach the connection that it belongs to. @param onRead called after each piece */
function guardedTap(
  tap: RequestTap,
  safely: <T>(call: () => T) => T | undefined,
  onRead: () => void,
): RequestTap {
  return {
    get countsChunks() {
      return safely(() => tap.countsChunks) ?? true;
    },
    readBy: (...event) => safely(() => tap.readBy(...event)),
    beginPiece: (...event) => safely(() => tap.beginPiece(...event)),
    endPiece(length) {
      safely(() => {
        tap.endPiece(length);
        onRead();
      });
    },
    onStart: (...event) => safely(() => tap.onStart(...event)),
    onFramedHead: (...event) => safely(() => tap.onFramedHead(...event)),
    onContent: (...event) => safely(() => tap.onContent(...event)),
    onChunks: (...event) => safely(() => tap.onChunks(...event)),
    onChunk: (...event) => safely(() => tap.onChunk(...event)),
    onChunkEnd: (...event) => safely(() => tap.onChunkEnd(...event)),
    onTrailers: (...event) => safely(() => tap.onTrailers(...event)),
    onEnd: (...event) => safely(() => tap.onEnd(...event)),
    onStop: (...event) => safely(() => tap.onStop(...event)),
    onRest: (...event) => safely(() => tap.onRest(...event)),
  };
}
