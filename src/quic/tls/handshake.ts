import type { CipherSuite } from './cipher-suite.ts';
import { alertError, HandshakeError, type HandshakeFailure } from './failure.ts';
import type { StateMachine } from './handshake-state.ts';
import type { TrafficSecrets } from './key-schedule.ts';
import { MessageReader, type Level, type Message } from './message-reader.ts';

/** What both sides of a handshake give to the connection, from within its calls. */
export interface HandshakeEvents {
  /** Bytes to append to the CRYPTO stream of a level. */
  output(level: Level, bytes: Buffer): void;
  /**
   * Secrets of a level. Those of `application` come when the server's Finished is sent or verified, but a server must not
   * read 1-RTT packets before `complete` (RFC 9001 5.7).
   */
  secrets(level: Exclude<Level, 'initial'>, secrets: TrafficSecrets, suite: CipherSuite): void;
  /** The handshake is complete (RFC 9001 4.1.1). */
  complete(): void;
}

/** What has been negotiated so far. */
export interface Negotiated {
  readonly suite?: CipherSuite;
  /** NamedGroup of the key exchange. */
  readonly group?: number;
  readonly alpn?: string;
  /** SignatureScheme of the server; undefined also if a session is resumed. */
  readonly signatureScheme?: number;
  readonly isResumed?: boolean;
  /** Whether the server has sent a HelloRetryRequest. */
  readonly isRetried?: boolean;
}

/** Reads the messages of one side as its state allows, until one breaks a rule. */
export class HandshakeFlow<State extends string, Step extends string> {
  readonly #machine: StateMachine<State, Step>;
  readonly #reader: MessageReader;
  #state: State;
  #failure: HandshakeFailure | undefined;

  /** @param handle called with each message. It calls `advance`, and throws HandshakeError. */
  constructor(
    machine: StateMachine<State, Step>,
    initial: State,
    handle: (message: Message) => void,
  ) {
    this.#machine = machine;
    this.#state = initial;
    this.#reader = new MessageReader((type) => this.#isExpected(type), handle);
  }

  get state(): State {
    return this.#state;
  }

  /**
   * Reads bytes of the CRYPTO stream of a level, in order. They are kept, and must not change.
   *
   * @returns why the handshake has failed, also when called again; undefined as long as it has not
   */
  receive(level: Level, bytes: Buffer): HandshakeFailure | undefined {
    if (this.#failure) return this.#failure;
    try {
      this.#reader.push(level, bytes);
    } catch (error) {
      if (!(error instanceof HandshakeError)) throw error;
      this.#failure = error;
    }
    return this.#failure;
  }

  /** Takes a step. @throws HandshakeError if the state does not allow it */
  advance(step: Step): void {
    const next = this.#machine.transitions[this.#state][step];
    if (next === undefined)
      throw alertError('unexpected_message', 'RFC 9846 4', `${step} in ${this.#state}`);
    this.#state = next;
  }

  /** From the next message on, reads the stream of this level. */
  readAt(level: Level): void {
    this.#reader.level = level;
  }

  #isExpected(type: number): boolean {
    const row: Readonly<Partial<Record<Step, State>>> = this.#machine.transitions[this.#state];
    for (const [step, each] of this.#machine.messages)
      if (each === type && row[step] !== undefined) return true;
    return false;
  }
}
