import type { Framing } from '../../wire/http1/framing.ts';
import type { ReaderStop } from '../../wire/http1/message-reader.ts';
import type { LineEnd } from '../../wire/http1/section.ts';
import type { RawText } from '../../wire/http1/text-buffer.ts';

/** How much is read and kept of one direction of a connection. */
export interface Http1Limits {
  /** Bytes in a header or trailer section or a line. The reader stops at a longer one. */
  readonly section: number;
  /** Bytes kept of each section. */
  readonly keptSection: number;
  /** Chunks kept of each message. */
  readonly chunks: number;
  /** Messages kept, the newest ones. */
  readonly messages: number;
  /** Bytes kept of the rest, which the reader does not parse. */
  readonly rest: number;
  /** Bytes kept of all messages; the newest message is always kept. */
  readonly bytes: number;
}

/** A chunk as sent (RFC 9112 7.1). */
export interface RawChunk {
  /** Of its size line, in bytes from the first byte of the message. */
  readonly offset: number;
  /** The size line as sent without its line end, in latin1; the beginning of a long one. */
  readonly line: string;
  /** Bytes of the line that are not kept. */
  readonly lineLeftOut: number;
  readonly lineEnd: LineEnd;
  readonly size: number;
  /** What follows after the size, from the semicolon or the white space before it. */
  readonly extension: string;
  /** After the data; `none` if it has not arrived, and for the last chunk, which has no data. */
  readonly dataEnd: LineEnd;
}

/** A message as sent. Times are in milliseconds, of the clock that was passed in with the bytes. */
export interface RawMessage {
  /** From 1, in one direction. */
  readonly number: number;
  /** Of its first byte, or of the empty lines before it, from the first byte of the direction. */
  readonly offset: number;
  /** With the empty lines before it. */
  readonly head: RawText;
  readonly headComplete: boolean;
  /** Undefined until the head is complete. */
  readonly framing: Framing | undefined;
  /** Bytes of content that have arrived, without chunk lines. */
  readonly contentLength: number;
  /** The first chunks, with the last chunk. */
  readonly chunks: readonly RawChunk[];
  readonly chunkCount: number;
  /** After the last chunk, with the empty line; undefined until it begins. */
  readonly trailers: (RawText & { readonly offset: number }) | undefined;
  /** Bytes from the first to the last; undefined until the message is complete. */
  readonly length: number | undefined;
  /** When its first byte, the end of its head and its last byte arrived. */
  readonly startTime: number;
  readonly headTime: number | undefined;
  readonly endTime: number | undefined;
  /** Of a request: earlier requests without a complete response when its first byte arrived. */
  readonly ahead: number;
  /** Of a response: the number of its request; undefined if it was sent before any. */
  readonly request: number | undefined;
}

/** A message that is still being read. */
export type Draft = Mutable<Omit<RawMessage, 'chunks'>> & { readonly chunks: Mutable<RawChunk>[] };

type Mutable<T> = { -readonly [Key in keyof T]: T[Key] };

/** The bytes after the last message that could be found. */
export interface Rest extends RawText, Pick<ReaderStop, 'kind' | 'reason'> {
  readonly offset: number;
}
