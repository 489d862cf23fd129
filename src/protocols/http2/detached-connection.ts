import { constants } from 'node:http2';
import { setImmediate as turn, setTimeout as pause } from 'node:timers/promises';
import type { CloseMethod, CloseReason } from '../../net/close-reason.ts';
import type { TcpConnection } from '../../net/tcp-connection.ts';
import {
  Flag,
  frame,
  FrameType,
  goaway,
  MAX_WINDOW,
  type RawFrame,
} from '../../wire/http2/frame.ts';
import { queuedBytes, startReading } from '../../net/node-internals.ts';
import { ClientFrames } from './client-frames.ts';
import type { FloodLimits } from '../http2-shared/flood-limits.ts';

/** Milliseconds without progress after which a connection is reset, because its client does not read. */
const WRITE_TIMEOUT = 1000;
const POLL_INTERVAL = 5;
/** Milliseconds for which `keep()` keeps the connection open. */
const KEEP_TIME = 10_000;
/** Milliseconds after which the connection is reset, even if it is being closed gracefully. */
const LIFETIME = 45_000;
/** Maximum bytes queued for a client that does not read. */
const MAX_QUEUED = 64 * 1024;

const CALM = goaway(0, constants.NGHTTP2_ENHANCE_YOUR_CALM);

/** A connection whose HTTP/2 session was detached without a frame, so that any bytes can be sent. */
export class DetachedConnection {
  readonly #connection: TcpConnection;
  readonly #limits: FloodLimits;
  readonly #closed = new AbortController();
  #onFrame: ((received: RawFrame) => void) | undefined;

  /**
   * Takes over the connection. Received frames are read and discarded until `keep` is called.
   *
   * @param limits the session's limits for control frames
   * @param maxFrameSize SETTINGS_MAX_FRAME_SIZE that the client has acknowledged
   */
  constructor(connection: TcpConnection, limits: FloodLimits, maxFrameSize: number) {
    this.#connection = connection;
    this.#limits = limits;
    const { stream } = connection;
    const timer = setTimeout(() => connection.close('reset', 'fault'), LIFETIME).unref();
    stream.once('close', () => {
      clearTimeout(timer);
      this.#closed.abort();
    });
    // An HTTP/2 client that sends FIN has disconnected.
    stream.once('end', () => connection.close('abort'));
    const frames = new ClientFrames(maxFrameSize);
    stream.on('data', (bytes: Buffer) => {
      for (const received of frames.read(bytes)) this.#onFrame?.(received);
    });
    connection.releaseAllReading();
    startReading(stream);
    stream.resume();
  }

  /** Aborts when the connection is closed. */
  get signal(): AbortSignal {
    return this.#closed.signal;
  }

  /**
   * Sends bytes after those of the session. Resets the connection if the client does not read, or if a piece cannot be
   * made.
   *
   * @returns whether the bytes were written; some of them may still be queued
   */
  async send(pieces: Iterable<Uint8Array> = []): Promise<boolean> {
    const { stream } = this.#connection;
    if (!(await this.#drained())) return false;
    try {
      for (const piece of pieces) {
        if (!stream.writable) return false;
        stream.write(piece);
        if (stream.writableLength > MAX_QUEUED && !(await this.#drained())) return false;
      }
    } catch (error) {
      // The response cannot be completed, and only a reset can still tell the client.
      this.close('reset');
      throw error;
    }
    return stream.writable;
  }

  /**
   * Keeps the connection open for a while, and acknowledges PING and SETTINGS.
   *
   * @param onWindowUpdate called with the stream id and the increment of each WINDOW_UPDATE
   */
  keep(onWindowUpdate?: (stream: number, increment: number) => void): void {
    const { stream } = this.#connection;
    const timer = setTimeout(() => this.close('graceful'), KEEP_TIME).unref();
    stream.once('close', () => clearTimeout(timer));
    this.#onFrame = ({ type, stream: id, payload }) => {
      if (type === FrameType.windowUpdate) {
        onWindowUpdate?.(id, payload.readUInt32BE() & MAX_WINDOW);
        return;
      }
      const isWritable = stream.writable && stream.writableLength < MAX_QUEUED;
      if (this.#limits.countControlFrame()) this.#endFlood(isWritable);
      else if (isWritable) {
        stream.write(frame(type, Flag.ack, 0, type === FrameType.ping ? payload : undefined));
      }
    };
  }

  close(how: CloseMethod, reason: CloseReason = 'fault'): void {
    this.#onFrame = undefined;
    this.#connection.close(how, reason);
  }

  /** Ends the connection because of a flood. @param isRead true if the client may still read GOAWAY */
  #endFlood(isRead: boolean): void {
    if (isRead) this.#connection.stream.write(CALM);
    this.close(isRead ? 'graceful' : 'reset', 'flood');
    this.#connection.holdReading('closing');
  }

  /** Waits until nothing is queued, natively or in JavaScript. @returns false if the connection has closed */
  async #drained(): Promise<boolean> {
    const { stream } = this.#connection;
    let last = Infinity;
    let deadline = Infinity;
    for (;;) {
      await turn();
      const queued = stream.writableLength + queuedBytes(stream);
      if (stream.destroyed) return false;
      if (queued === 0) return true;
      const now = performance.now();
      if (queued !== last) deadline = now + WRITE_TIMEOUT;
      else if (now > deadline) {
        this.close('reset');
        return false;
      }
      last = queued;
      await pause(POLL_INTERVAL, undefined, { ref: false });
    }
  }
}
