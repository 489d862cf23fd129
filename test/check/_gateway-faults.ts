import type { Socket } from 'node:net';
import type { ClientRequest, OriginRequest } from './_gateway-messages.ts';

/** Rarer things that a gateway does wrong with content and connections. */
export interface MoreDeviation {
  /** Whether it waits for the content that the fields of 304 or of a response to HEAD announce. */
  readonly expectsContent?: (request: ClientRequest, status: number) => boolean;
  /** What it adds to a response that is cut off by so many bytes, which then ends as if it were complete. */
  readonly completes?: (missing: number) => Buffer;
  /**
   * Whether a piece of a response, by its position, waits for the next one; or for how many milliseconds it and those after
   * it wait, unless the response ends.
   */
  readonly holdsResponse?: (at: number) => boolean | number;
  /** The same for a piece of a request. */
  readonly holdsRequest?: (at: number) => boolean;
  /** Bytes of a response that it reads while its client reads none. */
  readonly readsAhead?: number;
  /** Bytes of a request that it reads while the origin reads none. */
  readonly readsRequestAhead?: number;
  /** Whether a response ends only after its request. */
  readonly endsAfterRequest?: boolean;
  /** Exchanges that it serves at once; others wait. */
  readonly workers?: number;
  /** Whether it sends a request once more after its client has a response. */
  readonly repeatsLater?: (request: ClientRequest) => boolean;
  /** Changes a request that is sent again. */
  readonly changesRetry?: (request: OriginRequest) => void;
  /**
   * When it goes on although a client has left: before or after the response begins, in the 20 ms after it has begun, or
   * for milliseconds.
   */
  readonly lateGone?: 'before-response' | 'after-response' | 'as-response-begins' | number;
  /** Milliseconds by which it reads the head of a response late. */
  readonly readsLate?: number;
  /** Whether it reads a request where content of the one before should be, which it has answered early. */
  readonly keepsUnread?: boolean;
  /** After how many requests of a connection it closes it, without Connection: close. */
  readonly closesSilently?: number;
  /** What a client sends before it has a response is lost: what comes with the request, or only what comes later. */
  readonly dropsPipelined?: 'joined' | 'later';
  /** Whether an interim response is lost if what follows it has come with it. */
  readonly losesJoinedInterim?: boolean;
  /** Changes a header section whose end is not in the first bytes of the connection. */
  readonly readSplitHead?: (text: string) => string;
  /** What it does when /readyz of the origin, which it polls, is not 200: to open responses, and to requests. */
  readonly whileDraining?: { readonly cuts?: boolean; readonly status?: number };
  /** Milliseconds for which it answers 503 after it has not reached the origin. */
  readonly breaksCircuitFor?: number;
  /** Whether what is no response is the content of one. */
  readonly takesHttp09?: boolean;
  /** Whether it answers an empty line before a request with 400, and then the request. */
  readonly answersEmptyLine?: boolean;
  /** Whether it also sends the origin a request for an empty line. */
  readonly closesAtEmptyLine?: 'later';
}

/** Sends pieces; with `ahead` those that are not sent yet may be so many bytes. */
export class Sender {
  readonly #send: (piece: Buffer) => Promise<void>;
  readonly #ahead: number;
  readonly #holds: (at: number) => boolean | number;
  #last: Promise<void> = Promise.resolve();
  #waiting = 0;
  #held: Buffer[] = [];
  #at = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(
    send: (piece: Buffer) => Promise<void>,
    ahead = 0,
    holds: (at: number) => boolean | number = () => false,
  ) {
    this.#send = send;
    this.#ahead = ahead;
    this.#holds = holds;
  }

  async send(piece: Buffer): Promise<void> {
    this.#held.push(piece);
    const holds = this.#holds(this.#at++);
    if (typeof holds === 'number') {
      this.#timer ??= setTimeout(() => {
        this.#timer = undefined;
        this.#flush().catch(() => undefined);
      }, holds);
    }
    if (holds !== true && this.#timer === undefined) await this.#flush();
  }

  async #flush(): Promise<void> {
    const bytes = Buffer.concat(this.#held);
    this.#held = [];
    if (bytes.length === 0) return;
    this.#waiting += bytes.length;
    this.#last = this.#last.then(async () => {
      await this.#send(bytes);
      this.#waiting -= bytes.length;
    });
    if (this.#waiting > this.#ahead) await this.#last;
    else this.#last.catch(() => undefined);
  }

  /** Sends what is held. */
  async end(): Promise<void> {
    clearTimeout(this.#timer);
    await this.#flush();
    await this.#last;
  }
}

/** Lets so many go at once. */
export class Workers {
  #free: number;
  readonly #waiting: (() => void)[] = [];

  constructor(count: number) {
    this.#free = count;
  }

  async run(task: () => Promise<void>): Promise<void> {
    if (this.#free === 0) {
      await new Promise<void>((resolve) => {
        this.#waiting.push(resolve);
      });
    } else this.#free--;
    try {
      await task();
    } finally {
      const next = this.#waiting.shift();
      if (next) next();
      else this.#free++;
    }
  }
}

/** Asks an origin every few milliseconds whether it is ready. */
export class Readiness {
  readonly #timer: NodeJS.Timeout;
  isReady = true;

  /** @param onUnready called each time it is not */
  constructor(connect: () => Socket, onUnready: () => void) {
    this.#timer = setInterval(() => {
      const origin = connect();
      let text = '';
      origin.on('error', () => undefined);
      origin.on('data', (piece: Buffer) => (text += piece.toString('latin1')));
      origin.on('end', () => origin.destroy());
      origin.on('close', () => {
        this.isReady = text.startsWith('HTTP/1.1 200');
        if (!this.isReady) onUnready();
      });
      origin.write('GET /readyz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
    }, 20);
  }

  close(): void {
    clearInterval(this.#timer);
  }
}
