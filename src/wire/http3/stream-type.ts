import { varintAt } from '../byte-reader.ts';
import type { Role } from '../http2/frame.ts';
import type { Violation } from '../http2/violation.ts';
import { varintSize } from './frame-reader.ts';
import { StreamType } from './names.ts';
import { criticalStreamClosed } from './stream-phase.ts';
import { connectionError } from './violation.ts';

/** What a unidirectional stream is used for. Streams of unknown types are ignored (RFC 9114 6.2). */
export type StreamUse = 'control' | 'encoder' | 'decoder' | 'ignored';

const NAMED = { control: 'control', encoder: 'QPACK encoder', decoder: 'QPACK decoder' } as const;
const MAX_VARINT = 8;

/** Reads the type at the start of a unidirectional stream (RFC 9114 6.2), in pieces of any size. */
export class StreamTypeReader {
  readonly #bytes = Buffer.alloc(MAX_VARINT);
  #length = 0;
  /** The type, once it is complete; exact, up to 62 bits. */
  type: number | bigint | undefined;

  /** Reads up to the end of the type. @returns bytes read: the others are content of the stream */
  read(bytes: Buffer): number {
    let at = 0;
    while (at < bytes.length && this.type === undefined) {
      this.#bytes[this.#length++] = bytes[at++] ?? 0;
      if (this.#length === varintSize(this.#bytes, 0)) this.type = varintAt(this.#bytes, 0);
    }
    return at;
  }
}

/** The streams that a peer opens, except request streams: which of them are allowed, and which must stay open. */
export class PeerStreams {
  readonly #peer: Role;
  readonly #open = new Set<StreamUse>();

  constructor(peer: Role) {
    this.#peer = peer;
  }

  /** What a unidirectional stream of this type is used for, or why it must not be opened. */
  open(type: number | bigint): StreamUse | Violation {
    switch (type) {
      case StreamType.control:
        return this.#once('control');
      case StreamType.qpackEncoder:
        return this.#once('encoder');
      case StreamType.qpackDecoder:
        return this.#once('decoder');
      case StreamType.push:
        return this.#peer === 'client'
          ? creationError('RFC 9114 6.2.2', 'a push stream of a client')
          : connectionError('RFC 9114 4.6', 'a push stream without MAX_PUSH_ID', 'H3_ID_ERROR');
      default:
        return 'ignored';
    }
  }

  /** The violation of a bidirectional stream that a server opens (RFC 9114 6.1). */
  openBidirectional(): Violation | undefined {
    return this.#peer === 'client'
      ? undefined
      : creationError('RFC 9114 6.1', 'a bidirectional stream of the server');
  }

  /** The violation if a unidirectional stream ends or is reset that must stay open. */
  closed(use: StreamUse): Violation | undefined {
    return use === 'ignored' ? undefined : criticalStreamClosed(use);
  }

  #once(use: Exclude<StreamUse, 'ignored'>): StreamUse | Violation {
    if (!this.#open.has(use)) {
      this.#open.add(use);
      return use;
    }
    const section = use === 'control' ? 'RFC 9114 6.2.1' : 'RFC 9204 4.2';
    return creationError(section, `a second ${NAMED[use]} stream`);
  }
}

const creationError = (section: string, reason: string): Violation =>
  connectionError(section, reason, 'H3_STREAM_CREATION_ERROR');
