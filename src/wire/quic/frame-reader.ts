import { ByteReader } from '../byte-reader.ts';
import { varintLength } from '../byte-writer.ts';
import {
  frameRules,
  isAllowedIn,
  PATH_DATA_LENGTH,
  StreamFlag,
  type AckRange,
  type Frame,
  type FrameRule,
  type StreamDirection,
} from './frames.ts';
import { FrameType, quicFrameTypeName, type Role } from './names.ts';
import { MAX_CONNECTION_ID, RESET_TOKEN_LENGTH, type ProtectedKind } from './packet.ts';
import { violation, type TransportErrorName, type Violation } from './violation.ts';

/** The largest offset of a stream (RFC 9000 19.6, 19.8). */
const MAX_OFFSET = 2n ** 62n - 1n;
/** The largest number of streams (RFC 9000 19.11). */
const MAX_STREAMS = 2 ** 60;

/** Reads the frames of a packet one after the other, and checks the rules that do not depend on the state of the connection. */
export class FrameReader {
  readonly #payload: Buffer;
  readonly #packet: ProtectedKind;
  readonly #sender: Role;
  readonly #reader: ByteReader;
  #type: number | bigint = 0;
  #violation: Violation | undefined;

  /** @param sender the role of the peer */
  constructor(payload: Buffer, packet: ProtectedKind, sender: Role) {
    this.#payload = payload;
    this.#packet = packet;
    this.#sender = sender;
    this.#reader = new ByteReader(payload);
    if (payload.length === 0) this.#fail('RFC 9000 12.4', 'a packet without frames');
  }

  /** The type of the last frame, which may be the one that breaks a rule. */
  get type(): number | bigint {
    return this.#type;
  }

  /** The rule that was broken. It ends reading. */
  get violation(): Violation | undefined {
    return this.#violation;
  }

  /** Reads the next frame. @returns undefined at the end, and if the frame breaks a rule */
  next(): Frame | undefined {
    if (this.#violation || this.#reader.atEnd) return undefined;
    const rule = this.#readType();
    const frame = rule && this.#readFrame(Number(this.#type), rule);
    if (this.#violation || !rule) return undefined;
    if (!this.#reader.failed) return frame;
    this.#fail(rule.section, `${this.#name} that ends after the packet`, 'FRAME_ENCODING_ERROR');
    return undefined;
  }

  /** Reads a frame type, and whether it may be here. */
  #readType(): FrameRule | undefined {
    const start = this.#reader.offset;
    const type = this.#reader.exactVarint();
    this.#type = type;
    const rule = frameRules[Number(type)];
    if (!rule || this.#reader.failed) {
      this.#fail('RFC 9000 12.4', `frame type ${this.#name}`, 'FRAME_ENCODING_ERROR');
    } else if (this.#reader.offset - start > varintLength(type)) {
      this.#fail('RFC 9000 12.4', `the type of ${this.#name} in more bytes than it needs`);
    } else if (!isAllowedIn(rule, this.#packet)) {
      this.#fail('RFC 9000 12.4', `${this.#name} in a packet of type ${this.#packet}`);
    } else if (rule.sender !== undefined && rule.sender !== this.#sender) {
      this.#fail(rule.section, `${this.#name} from a ${this.#sender}`);
    } else return rule;
    return undefined;
  }

  #readFrame(type: number, rule: FrameRule): Frame | undefined {
    const reader = this.#reader;
    switch (type) {
      case FrameType.padding:
        return { kind: 'padding', length: 1 + reader.skipZeros() };
      case FrameType.ping:
        return { kind: 'ping' };
      case FrameType.ack:
      case FrameType.ackEcn:
        return this.#readAck(type === FrameType.ackEcn);
      case FrameType.crypto:
        return this.#readCrypto();
      case FrameType.newToken:
        return this.#readNewToken();
      case FrameType.newConnectionId:
        return this.#readNewConnectionId();
      case FrameType.retireConnectionId:
        return { kind: 'retire-connection-id', sequence: reader.varint() };
      case FrameType.pathChallenge:
        return { kind: 'path-challenge', data: this.#view(PATH_DATA_LENGTH) };
      case FrameType.pathResponse:
        return { kind: 'path-response', data: this.#view(PATH_DATA_LENGTH) };
      case FrameType.connectionClose: {
        const code = reader.exactVarint();
        const frameType = reader.exactVarint();
        return { kind: 'connection-close', code, frameType, reason: this.#viewWithLength() };
      }
      case FrameType.applicationClose: {
        const code = reader.exactVarint();
        return { kind: 'application-close', code, reason: this.#viewWithLength() };
      }
      case FrameType.handshakeDone:
        return { kind: 'handshake-done' };
      case FrameType.datagram:
        return { kind: 'datagram', data: this.#rest() };
      case FrameType.datagramWithLength:
        return { kind: 'datagram', data: this.#viewWithLength() };
      default:
        return this.#readStreamFrame(type, rule);
    }
  }

  /** Reads a frame about streams. */
  #readStreamFrame(type: number, rule: FrameRule): Frame | undefined {
    const reader = this.#reader;
    switch (type) {
      case FrameType.resetStream: {
        const stream = reader.varint();
        const code = reader.exactVarint();
        return { kind: 'reset-stream', stream, code, finalSize: reader.varint() };
      }
      case FrameType.stopSending:
        return { kind: 'stop-sending', stream: reader.varint(), code: reader.exactVarint() };
      case FrameType.maxData:
        return { kind: 'max-data', maximum: reader.varint() };
      case FrameType.maxStreamData:
        return { kind: 'max-stream-data', stream: reader.varint(), maximum: reader.varint() };
      case FrameType.maxStreamsBidi:
        return this.#readStreamCount('max-streams', 'bidi', rule);
      case FrameType.maxStreamsUni:
        return this.#readStreamCount('max-streams', 'uni', rule);
      case FrameType.dataBlocked:
        return { kind: 'data-blocked', maximum: reader.varint() };
      case FrameType.streamDataBlocked:
        return { kind: 'stream-data-blocked', stream: reader.varint(), maximum: reader.varint() };
      case FrameType.streamsBlockedBidi:
        return this.#readStreamCount('streams-blocked', 'bidi', rule);
      case FrameType.streamsBlockedUni:
        return this.#readStreamCount('streams-blocked', 'uni', rule);
      default:
        return this.#readStream(type);
    }
  }

  #readStream(type: number): Frame | undefined {
    const stream = this.#reader.varint();
    const offset = (type & StreamFlag.offset) === 0 ? 0 : this.#reader.exactVarint();
    const data = (type & StreamFlag.length) === 0 ? this.#rest() : this.#viewWithLength();
    if (this.#endsTooLate('RFC 9000 19.8', offset, data)) return undefined;
    const isLast = (type & StreamFlag.fin) !== 0;
    return { kind: 'stream', stream, offset: capped(offset), data, isLast };
  }

  #readCrypto(): Frame | undefined {
    const offset = this.#reader.exactVarint();
    const data = this.#viewWithLength();
    if (this.#endsTooLate('RFC 9000 19.6', offset, data)) return undefined;
    return { kind: 'crypto', offset: capped(offset), data };
  }

  #endsTooLate(section: string, offset: number | bigint, { length }: Buffer): boolean {
    if (typeof offset === 'number' || offset + BigInt(length) <= MAX_OFFSET) return false;
    const reason = `${this.#name} with data after offset 2^62 - 1`;
    this.#fail(section, reason, 'FRAME_ENCODING_ERROR');
    return true;
  }

  #readAck(hasEcn: boolean): Frame | undefined {
    const reader = this.#reader;
    let largest = reader.varint();
    const delay = reader.varint();
    const count = reader.varint();
    let smallest = largest - reader.varint();
    const ranges: AckRange[] = [{ smallest, largest }];
    // A count above the number of ranges in the packet ends reading at its end.
    for (let read = 0; read < count && !reader.failed && smallest >= 0; read++) {
      largest = smallest - reader.varint() - 2;
      smallest = largest - reader.varint();
      ranges.push({ smallest, largest });
    }
    if (smallest < 0 && !reader.failed) {
      this.#fail('RFC 9000 19.3.1', 'ACK of a packet number below 0', 'FRAME_ENCODING_ERROR');
      return undefined;
    }
    const ecn = hasEcn
      ? { ect0: reader.varint(), ect1: reader.varint(), ce: reader.varint() }
      : undefined;
    return { kind: 'ack', delay, ranges, ecn };
  }

  #readNewToken(): Frame | undefined {
    const token = this.#viewWithLength();
    if (token.length > 0 || this.#reader.failed) return { kind: 'new-token', token };
    this.#fail('RFC 9000 19.7', 'NEW_TOKEN without a token', 'FRAME_ENCODING_ERROR');
    return undefined;
  }

  #readNewConnectionId(): Frame | undefined {
    const sequence = this.#reader.varint();
    const retirePriorTo = this.#reader.varint();
    const length = this.#reader.uint(1);
    const connectionId = this.#view(length);
    const resetToken = this.#view(RESET_TOKEN_LENGTH);
    if (this.#reader.failed) return undefined;
    const section = 'RFC 9000 19.15';
    if (length < 1 || length > MAX_CONNECTION_ID) {
      this.#fail(section, `a connection ID of ${length} bytes`, 'FRAME_ENCODING_ERROR');
    } else if (retirePriorTo > sequence) {
      const reason = `Retire Prior To of ${retirePriorTo} in number ${sequence}`;
      this.#fail(section, reason, 'FRAME_ENCODING_ERROR');
    }
    return { kind: 'new-connection-id', sequence, retirePriorTo, connectionId, resetToken };
  }

  #readStreamCount(
    kind: 'max-streams' | 'streams-blocked',
    direction: StreamDirection,
    { section }: FrameRule,
  ): Frame | undefined {
    const maximum = this.#reader.exactVarint();
    if (maximum <= MAX_STREAMS) return { kind, direction, maximum: capped(maximum) };
    this.#fail(section, `${this.#name} with more than 2^60 streams`, 'FRAME_ENCODING_ERROR');
    return undefined;
  }

  /** The name of the current frame type. */
  get #name(): string {
    return quicFrameTypeName(this.#type);
  }

  #view(length: number): Buffer {
    const start = this.#reader.offset;
    this.#reader.skip(length);
    return this.#payload.subarray(start, this.#reader.offset);
  }

  #viewWithLength(): Buffer {
    return this.#view(this.#reader.varint());
  }

  #rest(): Buffer {
    return this.#view(this.#payload.length - this.#reader.offset);
  }

  #fail(section: string, reason: string, code?: TransportErrorName): void {
    this.#violation ??= violation(section, reason, code);
  }
}

/** The number, or 2^53 - 1 above that. */
const capped = (value: number | bigint): number => Math.min(Number(value), Number.MAX_SAFE_INTEGER);
