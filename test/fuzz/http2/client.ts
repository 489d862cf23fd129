import { HpackEncoder } from '../../../src/wire/http2/hpack-encoder.ts';
import type { Lines } from './messages.ts';

/** What a client has sent so far. */
export class Client {
  readonly #encoder = new HpackEncoder();
  #next = 1;
  #open: number[] = [];

  begin(skips: boolean, ends: boolean): number {
    const id = this.#next;
    this.#next += skips ? 6 : 2;
    if (!ends) this.#open.push(id);
    return id;
  }

  end(id: number): void {
    this.#open = this.#open.filter((each) => each !== id);
  }

  /** A stream of the client, by what is chosen. */
  stream({ of, at }: Chosen): number {
    switch (of) {
      case 'open':
        return this.open(at) ?? this.#last;
      case 'begun':
        return 1 + 2 * Math.floor((at * (this.#next - 1)) / 2);
      case 'last':
        return this.#last;
      case 'idle':
        return this.#next + 2 * Math.floor(4 * at);
      case 'even':
        return 2;
      case 'none':
        return 0;
    }
  }

  /** A stream whose request has not ended. @param at which one, from 0 to below 1 */
  open(at: number): number | undefined {
    return this.#open[Math.floor(at * this.#open.length)];
  }

  get #last(): number {
    return Math.max(1, this.#next - 2);
  }

  block(lines: Lines): Buffer {
    return Buffer.from(this.#encoder.encode(lines.flat()));
  }
}

export interface Chosen {
  readonly of: 'open' | 'begun' | 'last' | 'idle' | 'even' | 'none';
  /** From 0 to below 1. */
  readonly at: number;
}
