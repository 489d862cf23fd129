import { addressBytes, tcpPacket, TcpFlag } from './packets.ts';
import { enhancedPacket, type Direction } from './pcapng.ts';

/** One end of a connection. */
export interface CaptureEndpoint {
  /** Of either IP version, as Node shows it. */
  readonly address: string;
  readonly port: number;
}

export type CaptureSide = 'client' | 'server';

/** An IP packet has at most 65,535 bytes. */
const MAX_DATA = 65_000;
const NO_DATA = Buffer.alloc(0);

interface Sender {
  readonly address: Buffer;
  readonly port: number;
  readonly direction: Direction;
  /** Sequence number of the next byte. */
  next: number;
  isClosed: boolean;
}

/**
 * Makes the packets of one TCP connection from the bytes that its socket received and sent. The real ones
 * are not known: these have the sizes of the reads and writes, none is lost or repeated, and each is
 * acknowledged by the next one of the other side. Times are in milliseconds since 1970.
 */
export class CaptureConnection {
  readonly #client: Sender;
  readonly #server: Sender;
  /** Shown at the first packet; undefined after it. */
  #comment: string | undefined;

  /** @param comment shown at the first packet */
  constructor(client: CaptureEndpoint, server: CaptureEndpoint, comment?: string) {
    const [from, to] = addressBytes(client.address, server.address);
    const sender = { next: 0, isClosed: false };
    this.#client = { ...sender, address: from, port: client.port, direction: 'inbound' };
    this.#server = { ...sender, address: to, port: server.port, direction: 'outbound' };
    this.#comment = comment;
  }

  /** The handshake. Call first. */
  open(time: number): Buffer {
    return Buffer.concat([
      this.#packet('client', TcpFlag.syn, time),
      this.#packet('server', TcpFlag.syn | TcpFlag.ack, time),
      this.#packet('client', TcpFlag.ack, time),
    ]);
  }

  /** Bytes of one read or write, in one packet if they fit. */
  data(from: CaptureSide, bytes: Buffer, time: number): Buffer {
    const packets: Buffer[] = [];
    for (let at = 0; at < bytes.length; at += MAX_DATA) {
      const part = bytes.subarray(at, at + MAX_DATA);
      packets.push(this.#packet(from, TcpFlag.psh | TcpFlag.ack, time, part));
    }
    return packets.length === 1 && packets[0] ? packets[0] : Buffer.concat(packets);
  }

  /** The end of a side: FIN, which the other side acknowledges, or RST. Nothing if it has ended. */
  close(from: CaptureSide, how: 'fin' | 'rst', time: number): Buffer {
    const [sender, peer] = this.#sides(from);
    if (sender.isClosed) return NO_DATA;
    sender.isClosed = true;
    if (how === 'rst') {
      peer.isClosed = true;
      return this.#packet(from, TcpFlag.rst | TcpFlag.ack, time);
    }
    return Buffer.concat([
      this.#packet(from, TcpFlag.fin | TcpFlag.ack, time),
      this.#packet(from === 'client' ? 'server' : 'client', TcpFlag.ack, time),
    ]);
  }

  #sides(from: CaptureSide): readonly [sender: Sender, peer: Sender] {
    return from === 'client' ? [this.#client, this.#server] : [this.#server, this.#client];
  }

  #packet(side: CaptureSide, flags: number, time: number, data: Buffer = NO_DATA): Buffer {
    const [from, to] = this.#sides(side);
    const sequence = from.next;
    const acknowledgment = (flags & TcpFlag.ack) === 0 ? 0 : to.next;
    const packet = tcpPacket({ from, to, sequence, acknowledgment, flags, data });
    const counted = (flags & (TcpFlag.syn | TcpFlag.fin)) === 0 ? 0 : 1;
    from.next = (sequence + data.length + counted) % 2 ** 32;
    const comment = this.#comment;
    this.#comment = undefined;
    return enhancedPacket(time, packet, from.direction, comment);
  }
}
