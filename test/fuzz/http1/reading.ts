/** A field line; its value has no white space around it. Text is latin1. */
export type Field = readonly [name: string, value: string];

/** A request as a reader of HTTP/1.x shows it. Text is latin1. */
export interface ReadRequest {
  readonly method: string;
  /** As in the request line, or only path and query: readers are compared by these. */
  readonly target: string;
  readonly fields: readonly Field[];
  /** Without transfer coding. */
  readonly content: string;
  readonly trailers: readonly Field[];
}

/**
 * The requests that a reader has read whole, in order; one of which it shows nothing is undefined. The last request of
 * every input closes the connection: a reading that ends before it says that the reader has refused what follows, or
 * waits for the end of it.
 */
export type Reading = readonly (ReadRequest | undefined)[];

export interface Reader {
  readonly name: ReaderName;
  /** Whether fields come in order and under the names they were sent with, apart from case; otherwise they are sorted. */
  readonly keepsFields: boolean;
  read(pieces: readonly Buffer[]): Promise<Reading>;
  close(): unknown;
}

export const READERS = ['llhttp', 'h11', 'go'] as const;
export type ReaderName = 'wirebin' | (typeof READERS)[number];

/** What a reader does with a message that wirebin reads in another way. */
export type Outcome = 'accepts' | 'refuses' | 'reads otherwise';

/** How another reader differs from wirebin in the first request that is not the same; undefined if all are. */
export function differenceTo(
  wirebin: Reading,
  other: Reading,
  keepsFields: boolean,
): Outcome | undefined {
  const view = keepsFields ? asSent : sorted;
  const length = Math.max(wirebin.length, other.length);
  for (let at = 0; at < length; at++) {
    if (at >= wirebin.length) return 'accepts';
    // A response that shows nothing may come before the end of the content.
    if (at === other.length && at === wirebin.length - 1 && !wirebin[at]) return undefined;
    if (at >= other.length) return 'refuses';
    const [one, two] = [wirebin[at], other[at]];
    if (one && two && view(one) !== view(two)) return 'reads otherwise';
  }
  return undefined;
}

function asSent({ fields, trailers, ...rest }: ReadRequest): string {
  return JSON.stringify([common(rest), fields.map(lowerCase), trailers.map(lowerCase)]);
}

/** Fields that Go takes out of the header section, or makes anew from what it has read. */
const TAKEN = new Set(['host', 'transfer-encoding', 'trailer']);

function sorted({ fields, trailers, ...rest }: ReadRequest): string {
  const lists = [fields, trailers].map((lines) =>
    lines
      .map(lowerCase)
      .filter(([name]) => !TAKEN.has(name))
      .map((line) => JSON.stringify(line))
      .toSorted(),
  );
  return JSON.stringify([common(rest), lists]);
}

/** h11 shows transfer codings in lower case. */
function lowerCase([name, value]: Field): Field {
  const lower = name.toLowerCase();
  return [lower, lower === 'transfer-encoding' ? value.toLowerCase() : value];
}

/** wirebin shows path and query; a `?` without a query is not seen there. */
function common(request: Pick<ReadRequest, 'method' | 'target' | 'content'>): readonly string[] {
  const { method, target, content } = request;
  return [method, target.replace(/^https?:\/\/[^/?#]*/i, '').replace(/\?$/, '') || '/', content];
}
