import type { Worker } from 'node:cluster';
import { Socket } from 'node:net';
import { isMessage, type Message, type Question } from './messages.ts';
import type { Guard } from '../telemetry/guard.ts';
import { Problem } from '../http/problem.ts';
import type { Statistics } from '../telemetry/statistics.ts';

/** What one side does with what the other sends. */
export interface Handlers {
  /** @returns the answer, as it goes into JSON @throws what the other side is told as a Refusal */
  answer(question: Question): unknown;
  counts?(counts: Statistics): void;
  connection?(socket: Socket): void;
  /** The other side has the connections up to that id. */
  taken?(id: number): void;
}

/** The other side said why it did not do what it was asked. */
export class Refusal extends Error {}

interface Asked {
  settle(answer: unknown): void;
  fail(error: Error): void;
}

/** Questions that may wait for an answer at once; who leaves more waiting has stopped. */
const MAX_WAITING = 1000;
/** Milliseconds until the other side hears that a connection has come. */
const TAKEN_DELAY = 10;

/**
 * The way between the primary and one worker, the same at both ends: either asks, the other answers.
 * Messages keep their order, connections among them.
 */
export class Channel {
  readonly #worker: Worker;
  readonly #handlers: Handlers;
  readonly #asked = new Map<number, Asked>();
  #lastId = 0;
  #lastTaken = 0;
  #isTelling = false;

  /** @param worker as node:cluster has it: the primary's view of it, or in the worker itself */
  constructor(worker: Worker, handlers: Handlers) {
    this.#worker = worker;
    this.#handlers = handlers;
    worker.on('message', (value: unknown, handle: unknown) => this.#receive(value, handle));
    worker.on('disconnect', () => {
      for (const asked of this.#asked.values())
        asked.fail(new Error('the other process has ended'));
    });
  }

  /**
   * @param isAnswer tells what is an answer to the question
   * @param patience milliseconds that an answer is waited for; without it for ever
   * @throws Refusal, Problem overloaded, and where there is no answer: not in time, or because the
   *   other side has ended
   */
  ask<T>(question: Question, isAnswer: Guard<T>, patience?: number): Promise<T> {
    return new Promise((resolve, reject) => {
      if (this.#asked.size >= MAX_WAITING) {
        const detail = `${MAX_WAITING} questions to the other process wait for an answer`;
        reject(new Problem('overloaded', detail, ['Retry-After', '1']));
        return;
      }
      const id = ++this.#lastId;
      const refuse = (): void => reject(new Error('the other process does not answer'));
      const timer = patience === undefined ? undefined : setTimeout(refuse, patience);
      const done = (): void => {
        this.#asked.delete(id);
        clearTimeout(timer);
      };
      const fail = (error: Error): void => {
        done();
        reject(error);
      };
      const settle = (answer: unknown): void => {
        done();
        if (isAnswer(answer)) resolve(answer);
        else reject(new TypeError(`that is no answer to ${question.about}`));
      };
      this.#asked.set(id, { settle, fail });
      this.#send({ kind: 'question', id, question }, (error) => error && fail(error));
    });
  }

  /** What wants no answer. */
  tell(message: Extract<Message, { kind: 'online' | 'counts' }>): void {
    this.#send(message, ignore);
  }

  /**
   * Gives a connection to the other side. On this side it stays open, to be closed when the other has
   * said that it has it: left to Node it would stay open for ever where the other dies on the way.
   *
   * @param id higher than those before
   * @param onSent told when it has left; Node sends one at a time
   */
  hand(id: number, socket: Socket, onSent: () => void): void {
    const message: Message = { kind: 'connection', id };
    this.#worker.send(message, socket, { keepOpen: true }, (error) => error ?? onSent());
  }

  /** Without a callback Node would make an error event of a channel that has closed. */
  #send(message: Message, done: (error: Error | null) => void): void {
    this.#worker.send(message, undefined, {}, done);
  }

  /** What is none of our messages is from whoever has started us, and not for us. */
  #receive(value: unknown, handle: unknown): void {
    if (!isMessage(value)) return;
    switch (value.kind) {
      case 'connection':
        this.#lastTaken = value.id;
        if (!this.#isTelling) setTimeout(() => this.#tellTaken(), TAKEN_DELAY);
        this.#isTelling = true;
        // Without a socket it has been closed on its way.
        if (handle instanceof Socket) this.#handlers.connection?.(handle);
        break;
      case 'taken':
        this.#handlers.taken?.(value.id);
        break;
      case 'question':
        void this.#answer(value.id, value.question);
        break;
      case 'answer':
        this.#asked.get(value.id)?.settle(value.answer);
        break;
      case 'failure':
        this.#asked.get(value.id)?.fail(new Refusal(value.reason));
        break;
      case 'online':
        // Whoever started the worker waits for its first message, which is this.
        break;
      case 'counts':
        this.#handlers.counts?.(value.counts);
        break;
    }
  }

  /** Told of many at once: a message for each would cost as much as the connection itself. */
  #tellTaken(): void {
    this.#isTelling = false;
    this.#send({ kind: 'taken', id: this.#lastTaken }, ignore);
  }

  async #answer(id: number, question: Question): Promise<void> {
    try {
      const answer = await this.#handlers.answer(question);
      this.#send({ kind: 'answer', id, answer }, ignore);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      this.#send({ kind: 'failure', id, reason }, ignore);
    }
  }
}

/** For messages that nobody is there to miss once the channel has closed. */
function ignore(): void {}
