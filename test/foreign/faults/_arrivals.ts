import { isJournal } from '../../../src/cluster/messages.ts';

/** A request as its origin received it. */
export interface Arrival {
  readonly connection: string;
  /** As in the echo: `HTTP/1.1`. */
  readonly protocol: string;
  /** Bytes of content that have arrived. */
  readonly received: number;
  /** Milliseconds from the header section until the response began; undefined without one. */
  readonly answeredAfter: number | undefined;
}

/** The requests that wirebin's journal has below a key. */
export async function journalled(base: string, key: string): Promise<Arrival[]> {
  const response = await fetch(`${base}/journal/${key}`);
  if (response.status === 404) return [];
  const journal: unknown = await response.json();
  if (!isJournal(journal)) throw new Error(`${base}/journal/${key} is no journal`);
  return journal.entries.map(({ conn, protocol, content, timing }) => ({
    connection: conn,
    protocol,
    received: content.octets,
    answeredAfter: timing.answered_ms ?? undefined,
  }));
}
