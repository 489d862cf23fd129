import type { Socket } from 'node:net';
import type { CloseMethod } from '../net/close-reason.ts';
import type { Connection } from '../net/connection.ts';
import type { ByteObserver } from '../net/inspector.ts';
import { observeSocket } from '../net/node-internals.ts';
import {
  ConnectionInspection,
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

  constructor(options: InspectionOptions) {
    this.#options = options;
    const forget = (): void => this.#forgetOldest();
    this.#memory = new InspectMemory(options.memory, options.connectionMemory, forget);
  }

  /** Finds an open connection, or a closed one that is still kept, by id. */
  find(id: string): ConnectionInspection | undefined {
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
    if (!this.#memory.hasRoom(RESERVED)) {
      connection.notInspected = NO_MEMORY;
      this.#notInspected++;
      this.#options.onNotInspected(this.#notInspected);
      return;
    }
    const inspection = new ConnectionInspection(connection, {
      memory: this.#memory,
      limits: this.#options.limits,
      capture: this.#options.capture?.open(connection),
      onWire: (...event) => this.onWire?.(...event),
    });
    connection.inspector = inspection;
    this.#connections.set(connection.id, inspection);
    this.#observe(connection, connection.socket, inspection.transport);
    connection.socket.on('error', (error) => inspection.failed(error));
  }

  secured(connection: Connection): void {
    const inspection = this.find(connection.id);
    inspection?.startTls();
    if (inspection && connection.tls) {
      this.#observe(connection, connection.tls, inspection.plaintext);
    }
  }

  /** Runs inspection code. An error ends the inspection; in a socket event, it would otherwise end the process. */
  #safely(connection: Connection, inspect: () => void): void {
    if (connection.notInspected !== undefined) return;
    try {
      inspect();
    } catch (error) {
      connection.notInspected = FAILED;
      connection.inspector = undefined;
      this.find(connection.id)?.abandon();
      this.#connections.delete(connection.id);
      this.#options.onError(error);
    }
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
    this.find(connection.id)?.startTls();
  }

  detected(connection: Connection): void {
    this.find(connection.id)?.detected(connection);
  }

  /** Call with each TLS secret before the bytes that it decrypts. */
  secret(line: Buffer, connection: Connection | undefined): void {
    this.#options.capture?.secret(line);
    if (!connection) return;
    const inspection = this.find(connection.id);
    this.#safely(connection, () => inspection?.secret(line.toString('latin1')));
  }

  /** Notes that a stream became a request. HTTP/2 streams that are reset before that were refused. */
  began({
    connection,
    stream,
  }: {
    readonly connection: Connection;
    readonly stream: { readonly id: number } | undefined;
  }): void {
    if (stream) this.find(connection.id)?.delivered(stream.id);
  }

  /** Ends the capture. */
  close(): void {
    this.#options.capture?.close();
  }

  closing(connection: Connection, how: CloseMethod): void {
    if (how === 'reset') this.find(connection.id)?.reset();
  }

  closed(connection: Connection): void {
    const inspection = this.find(connection.id);
    if (!inspection) return;
    this.#closed.add(connection.id);
    inspection.close();
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
