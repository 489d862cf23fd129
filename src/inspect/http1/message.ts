import type { Framing } from '../../wire/http1/framing.ts';
import type { ReaderStop } from '../../wire/http1/message-reader.ts';
import type { LineEnd } from '../../wire/http1/section.ts';
import type { RawText } from '../../wire/http1/text-buffer.ts';

/** Limits of what is read and kept for one direction of a connection. */
export interface Http1Limits {
  /** Maximum bytes of a header section, trailer section or line. The reader stops at a longer one. */
  readonly section: number;
  /** Maximum bytes kept of each section. */
  readonly keptSection: number;
  /** Maximum number of chunks kept of each message. */
  readonly chunks: number;
  /** Maximum number of messages kept. Newer ones replace older ones. */
  readonly messages: number;
  /** Maximum bytes kept of `Rest`, which is not parsed. */
  readonly rest: number;
  /** Maximum bytes kept of all messages. The newest message is kept in any case. */
  readonly bytes: number;
}

/** A chunk as sent (RFC 9112 7.1). */
export interface RawChunk {
  /** Offset of the size line from the beginning of the message. */
  readonly offset: number;
  /** The size line as sent, in Latin-1, without its line end. Only the beginning of a long one is kept. */
  readonly line: string;
  /** Bytes of the size line that are not kept. */
  readonly lineLeftOut: number;
  readonly lineEnd: LineEnd;
  readonly size: number;
  /** Text after the chunk size, from the semicolon or from the white space before it. */
  readonly extension: string;
  /** Line end after the data; `none` if it has not arrived, and for the last chunk, which has no data. */
  dataEnd: LineEnd;
}

/** A message that is still being read. Times are in milliseconds of the caller's clock. */
export class Draft {
  /** Number in its direction, from 1. */
  readonly number: number;
  /** Offset of the first byte, or of the empty lines before it, from the beginning of the direction. */
  readonly offset: number;
  /** Start line and header section, with the empty lines before them. */
  head: RawText = { text: '', length: 0 };
  headComplete = false;
  /** undefined until the head is complete. */
  framing: Framing | undefined;
  /** Bytes of content that have arrived, without chunk lines. */
  contentLength = 0;
  /** The first chunks. The last chunk, of size 0, is included only if all earlier ones are. */
  readonly chunks: RawChunk[] = [];
  chunkCount = 0;
  /** The trailer section with its empty line; undefined until it begins. */
  trailers: (RawText & { readonly offset: number }) | undefined;
  /** Bytes of the whole message; undefined until it is complete. */
  length: number | undefined;
  /** Time of the first byte. */
  readonly startTime: number;
  /** Time of the end of the head. */
  headTime: number | undefined;
  /** Time of the last byte. */
  endTime: number | undefined;
  /** Of a request: number of earlier requests without a complete response when its first byte arrived. */
  ahead = 0;
  /** Of a response: number of its request; undefined if it was sent before any request. */
  request: number | undefined;

  constructor(number: number, offset: number, time: number) {
    this.number = number;
    this.offset = offset;
    this.startTime = time;
  }
}

/** A message as sent. */
export type RawMessage = Readonly<Draft>;

/** The bytes after the last message that could be found, which are not parsed. */
export interface Rest extends RawText, Pick<ReaderStop, 'kind' | 'reason' | 'byte'> {
  readonly offset: number;
}
