import type { Worker } from 'node:cluster';
import { Socket } from 'node:net';
import { isMessage, type ChannelRequest, type Message } from './messages.ts';
import type { Guard } from '../server/schema.ts';
import { Problem } from '../http/problem.ts';
import type { JournalBatch } from '../telemetry/journal/entry.ts';
import type { Statistics } from '../telemetry/statistics.ts';
import { errorText } from '../net/error-text.ts';

/** Handlers for messages from the other process. */
export interface ChannelHandlers {
  /** @returns the result, which is serialized as JSON @throws an error, which the other process gets as RemoteError */
  handle(request: ChannelRequest): unknown;
  statistics?(statistics: Statistics): void;
  journal?(batch: JournalBatch): void;
  connection?(socket: Socket): void;
  /** The other process has received all connections up to this id. */
  acknowledged?(id: number): void;
}

/** The other process failed to handle a request. */
export class RemoteError extends Error {}

interface PendingRequest {
  resolve(result: unknown): void;
  reject(error: Error): void;
}

/** Maximum number of pending requests. With more, the other process is assumed to hang. */
const MAX_PENDING = 1000;
/** Milliseconds after which received connections are acknowledged. */
const ACK_DELAY = 10;

/**
 * The connection between the primary and one worker. Both sides can send requests and respond to them.
 * Messages and sockets arrive in the order in which they are sent.
 */
export class Channel {
  readonly #worker: Worker;
  readonly #handlers: ChannelHandlers;
  readonly #pending = new Map<number, PendingRequest>();
  #lastRequestId = 0;
  #lastConnectionId = 0;
  #isAckScheduled = false;

  /** @param worker in the primary, the worker; in a worker, `cluster.worker` */
  constructor(worker: Worker, handlers: ChannelHandlers) {
    this.#worker = worker;
    this.#handlers = handlers;
    worker.on('message', (value: unknown, handle: unknown) => this.#receive(value, handle));
    worker.on('disconnect', () => {
      const error = new Error('the other process has exited');
      for (const pending of this.#pending.values()) pending.reject(error);
    });
  }

  /**
   * @param isResult validates the result
   * @param timeout in milliseconds; none by default
   * @throws RemoteError, Problem overloaded, or an Error if there is no response in time or the other
   *   process exits
   */
  request<T>(request: ChannelRequest, isResult: Guard<T>, timeout?: number): Promise<T> {
    return new Promise((resolve, reject) => {
      if (this.#pending.size >= MAX_PENDING) {
        const detail = `${MAX_PENDING} requests to another process of this service are pending`;
        reject(new Problem('overloaded', detail, ['Retry-After', '1']));
        return;
      }
      const id = ++this.#lastRequestId;
      const settled = (): void => {
        this.#pending.delete(id);
        clearTimeout(timer);
      };
      const fail = (error: Error): void => {
        settled();
        reject(error);
      };
      const onTimeout = (): void => fail(new Error('the other process does not respond'));
      const timer = timeout === undefined ? undefined : setTimeout(onTimeout, timeout);
      const complete = (result: unknown): void => {
        settled();
        if (isResult(result)) resolve(result);
        else reject(new TypeError(`invalid result of ${request.type}`));
      };
      this.#pending.set(id, { resolve: complete, reject: fail });
      this.#send({ kind: 'request', id, request }, (error) => error && fail(error));
    });
  }

  /**
   * Sends a connection to the other process. The socket stays open in this process until the other one acknowledges it.
   * Without `keepOpen`, Node would leave the connection open forever if the other process died before it received it.
   *
   * @param id greater than all previous ones
   * @param onSent called when the socket was sent; Node sends one at a time
   */
  notify(
    message: Extract<Message, { kind: 'online' | 'statistics' | 'journal' }>,
    onSent: () => void = ignoreError,
  ): void {
    this.#send(message, onSent);
  }

  /**
   * Sends a connection to the other process. The socket stays open in this process until the other one
   * acknowledges it: without `keepOpen` Node would leave the connection open forever if the other
   * process died before receiving it.
   *
   * @param id greater than all previous ones
   * @param onSent called when the socket has been sent; Node sends one at a time
   */
  sendConnection(id: number, socket: Socket, onSent: () => void): void {
    const message: Message = { kind: 'connection', id };
    this.#worker.send(message, socket, { keepOpen: true }, (error) => error ?? onSent());
  }

  /** Sends a message. Without a callback, Node would emit 'error' if the channel is closed. */
  #send(message: Message, callback: (error: Error | null) => void): void {
    this.#worker.send(message, undefined, {}, callback);
  }

  /** Handles a message. Others than wirebin's are ignored: they may come from the process that started this one. */
  #receive(value: unknown, handle: unknown): void {
    if (!isMessage(value)) return;
    switch (value.kind) {
      case 'connection':
        this.#lastConnectionId = value.id;
        if (!this.#isAckScheduled) setTimeout(() => this.#acknowledge(), ACK_DELAY);
        this.#isAckScheduled = true;
        // The handle is missing if the socket was closed meanwhile.
        if (handle instanceof Socket) this.#handlers.connection?.(handle);
        break;
      case 'ack':
        this.#handlers.acknowledged?.(value.id);
        break;
      case 'request':
        void this.#handle(value.id, value.request);
        break;
      case 'response':
        this.#pending.get(value.id)?.resolve(value.result);
        break;
      case 'error':
        this.#pending.get(value.id)?.reject(new RemoteError(value.message));
        break;
      case 'online':
        // Nothing to do: it is the first message, which WorkerHandle.start() waits for.
        break;
      case 'statistics':
        this.#handlers.statistics?.(value.statistics);
        break;
      case 'journal':
        this.#handlers.journal?.(value.batch);
        break;
    }
  }

  /** Acknowledges all received connections in one message: one for each would cost as much as a connection. */
  #acknowledge(): void {
    this.#isAckScheduled = false;
    this.#send({ kind: 'ack', id: this.#lastConnectionId }, ignoreError);
  }

  async #handle(id: number, request: ChannelRequest): Promise<void> {
    try {
      const result = await this.#handlers.handle(request);
      this.#send({ kind: 'response', id, result }, ignoreError);
    } catch (error) {
      const message = errorText(error);
      this.#send({ kind: 'error', id, message }, ignoreError);
    }
  }
}

/** Callback for messages that may be lost when the channel is closed. */
function ignoreError(): void {}
