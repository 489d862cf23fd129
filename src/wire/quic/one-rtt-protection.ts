import type { ShortPacket } from './packet.ts';
import type { OpenedPacket, PacketProtection } from './packet-protection.ts';
import type { PacketWriter } from './packet-writer.ts';

type KeyPhase = 0 | 1;

/** The share of the confidentiality limit from which the keys should be updated. */
const UPDATE_AFTER = 1 / 2;

/** The keys of 1-RTT packets in both directions, and their updates (RFC 9001 6). */
export class OneRttProtection {
  #write: PacketProtection;
  #writePhase: KeyPhase = 0;
  /** The number of the first packet sent in the present key phase; undefined before it. */
  #firstSent: number | undefined;
  /** Whether the peer has acknowledged a packet sent in the present key phase. */
  #isConfirmed = false;
  #read: PacketProtection;
  #readPhase: KeyPhase = 0;
  /** Derived in advance, so that timing does not reveal whether the Key Phase bit of a packet is valid (RFC 9001 6.3, 9.5). */
  #readNext: PacketProtection;
  #readPrevious: PacketProtection | undefined;
  /** The lowest number received in the present key phase. Numbers of the previous phase are lower (RFC 9001 6.4). */
  #firstRead = 0;
  #updates = 0;

  constructor(read: PacketProtection, write: PacketProtection) {
    this.#read = read;
    this.#readNext = read.next();
    this.#write = write;
  }

  /** The Key Phase bit of packets to send. */
  get keyPhase(): KeyPhase {
    return this.#writePhase;
  }

  /** Number of key updates, initiated by either side. */
  get updates(): number {
    return this.#updates;
  }

  /** Whether there are previous read keys: call `forgetPrevious` three times the PTO after the update (RFC 9001 6.5). */
  get hasPrevious(): boolean {
    return this.#readPrevious !== undefined;
  }

  /** Whether so many packets were sealed that the keys should be updated (RFC 9001 6.6). */
  get needsUpdate(): boolean {
    return this.#write.sealed >= UPDATE_AFTER * this.#write.cipher.confidentialityLimit;
  }

  /** Whether no further packet may be sealed. Close with AEAD_LIMIT_REACHED (RFC 9001 6.6). */
  get isExhausted(): boolean {
    return this.#write.sealed >= this.#write.cipher.confidentialityLimit;
  }

  /**
   * Whether the keys may be updated: a packet of the present phase was acknowledged (RFC 9001 6.1). The handshake must be
   * confirmed too, which the caller checks.
   */
  get mayUpdate(): boolean {
    return this.#isConfirmed;
  }

  /** Seals a packet whose header has `keyPhase`. See `PacketProtection.seal`. */
  seal(writer: PacketWriter, start: number, payloadStart: number, number: number): void {
    this.#firstSent ??= number;
    this.#write.seal(writer, start, payloadStart, number);
  }

  /** Opens a packet, and follows a key update of the peer (RFC 9001 6.2). See `PacketProtection.open`. */
  open(datagram: Buffer, packet: ShortPacket, largest: number): OpenedPacket | undefined {
    const opened = this.#read.open(datagram, packet, largest, (keyPhase, number) => {
      if (keyPhase === this.#readPhase) return this.#read;
      return number < this.#firstRead ? this.#readPrevious : this.#readNext;
    });
    if (opened) this.#opened(opened);
    return opened;
  }

  /** Updates the keys of packets to send. The peer follows. Call only if `mayUpdate`. */
  update(): void {
    this.#write = this.#write.next();
    this.#writePhase = other(this.#writePhase);
    this.#firstSent = undefined;
    this.#isConfirmed = false;
    this.#updates++;
  }

  /** Call when an ACK frame arrives. @param largest the largest acknowledged number of 1-RTT packets */
  acknowledged(largest: number): void {
    if (this.#firstSent !== undefined && largest >= this.#firstSent) this.#isConfirmed = true;
  }

  /** Discards the previous read keys (RFC 9001 6.5). */
  forgetPrevious(): void {
    this.#readPrevious = undefined;
  }

  #opened({ keyPhase, number }: OpenedPacket): void {
    if (keyPhase === this.#readPhase || number < this.#firstRead) return;
    this.#readPrevious = this.#read;
    this.#read = this.#readNext;
    this.#readNext = this.#read.next();
    this.#readPhase = keyPhase;
    this.#firstRead = number;
    if (this.#writePhase !== keyPhase) this.update();
  }
}

const other = (phase: KeyPhase): KeyPhase => (phase === 0 ? 1 : 0);
