import { readFileSync } from 'node:fs';
import { portInTable } from '../_system.ts';

/** State of an established connection in Linux's table. */
const ESTABLISHED = '01';

interface Followed {
  /** Bytes that the kernel has of what was sent, in both of its buffers, at most. */
  readonly bytes: number;
  /** Of `performance.now()`: when that last grew. */
  readonly at: number;
}

/**
 * Follows responses on connections of this machine whose clients read nothing. For how long the kernel still takes
 * bytes of them is not the service's doing: its buffers grow, and all sockets share them.
 */
export class Progress {
  readonly #port: string;
  readonly #clients: ReadonlySet<string>;
  /** By the port of the client. */
  readonly #followed = new Map<string, Followed>();
  #lookedAt = performance.now();
  /** Milliseconds from the last byte that the kernel took of a response to the end of its connection, each. */
  readonly waits: number[] = [];
  /** Milliseconds between two looks, at most: what the waits may be wrong by. */
  longestGap = 0;

  /** @param clients their ports */
  constructor(port: number, clients: readonly number[]) {
    this.#port = portInTable(port);
    this.#clients = new Set(clients.map(portInTable));
  }

  /** @returns the number of connections that are open */
  look(): number {
    const now = performance.now();
    this.longestGap = Math.max(this.longestGap, now - this.#lookedAt);
    this.#lookedAt = now;
    const held = this.#held();
    for (const [client, { at }] of this.#followed) {
      if (held.has(client)) continue;
      this.waits.push(now - at);
      this.#followed.delete(client);
    }
    for (const [client, bytes] of held) {
      // The table is not read at once: one side may be gone from it.
      const { bytes: most = -1 } = this.#followed.get(client) ?? {};
      if (bytes > most) this.#followed.set(client, { bytes, at: now });
    }
    return held.size;
  }

  /** What the service's side has to send yet, and the client's to read, by the port of the client. */
  #held(): Map<string, number> {
    const held = new Map<string, number>();
    const unread = new Map<string, number>();
    for (const line of readFileSync('/proc/net/tcp', 'latin1').split('\n').slice(1)) {
      const [, local = '', remote = '', state, queues = ''] = line.trim().split(/\s+/);
      const [sending = 0, reading = 0] = queues.split(':').map((text) => Number.parseInt(text, 16));
      const [, from = ''] = local.split(':');
      const [, to = ''] = remote.split(':');
      if (to === this.#port) unread.set(from, reading);
      else if (from === this.#port && state === ESTABLISHED && this.#clients.has(to)) {
        held.set(to, sending);
      }
    }
    for (const [client, sending] of held) held.set(client, sending + (unread.get(client) ?? 0));
    return held;
  }
}
