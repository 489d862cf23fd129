import { addressesOf, tcpPacket, TcpFlag } from './packets.ts';
import { enhancedPacket, type PacketDirection } from './pcapng.ts';
import type { Sender } from './protocol-reader.ts';

export interface CaptureEndpoint {
  /** An IPv4 or IPv6 address, as Node formats it. */
  readonly address: string;
  readonly port: number;
}

/** Bytes of TCP data in a packet, so that the IP packet does not exceed 65,535 bytes. */
const MAX_DATA = 65_000;
const NO_DATA = Buffer.alloc(0);

/** One end of the connection, as the sender of packets. */
interface PacketSender {
  readonly address: Buffer;
  readonly port: number;
  readonly direction: PacketDirection;
  /** TCP sequence number of the next byte. */
  next: number;
  isClosed: boolean;
}

/**
 * Makes packets of one TCP connection from the bytes that its socket received and sent. The real packets are not known:
 * these have the sizes of reads and writes, none is lost or retransmitted, and each is acknowledged by the next packet
 * of the other side. Times are in milliseconds since 1970.
 */
export class CaptureConnection {
  readonly #client: PacketSender;
  readonly #server: PacketSender;
  /** Comment for the first packet; undefined once that was made. */
  #comment: string | undefined;

  /** @param comment shown by Wireshark at the first packet */
  constructor(client: CaptureEndpoint, server: CaptureEndpoint, comment?: string) {
    const [from, to] = addressesOf(client.address, server.address);
    const sender = { next: 0, isClosed: false };
    this.#client = { ...sender, address: from, port: client.port, direction: 'inbound' };
    this.#server = { ...sender, address: to, port: server.port, direction: 'outbound' };
    this.#comment = comment;
  }

  /** The packets of the TCP handshake. Call first. */
  open(time: number): Buffer {
    return Buffer.concat([
      this.#packet('client', TcpFlag.syn, time),
      this.#packet('server', TcpFlag.syn | TcpFlag.ack, time),
      this.#packet('client', TcpFlag.ack, time),
    ]);
  }

  /** The packets of one read or write: one, if the bytes fit. */
  data(from: Sender, bytes: Buffer, time: number): Buffer {
    const packets: Buffer[] = [];
    for (let at = 0; at < bytes.length; at += MAX_DATA) {
      const part = bytes.subarray(at, at + MAX_DATA);
      packets.push(this.#packet(from, TcpFlag.psh | TcpFlag.ack, time, part));
    }
    return packets.length === 1 && packets[0] ? packets[0] : Buffer.concat(packets);
  }

  /** The packets that end a direction: FIN and its acknowledgement, or RST. None if the direction has already ended. */
  close(from: Sender, how: 'fin' | 'rst', time: number): Buffer {
    const [sender, peer] = this.#senderAndPeer(from);
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

  #senderAndPeer(from: Sender): readonly [sender: PacketSender, peer: PacketSender] {
    return from === 'client' ? [this.#client, this.#server] : [this.#server, this.#client];
  }

  #packet(sender: Sender, flags: number, time: number, data: Buffer = NO_DATA): Buffer {
    const [from, to] = this.#senderAndPeer(sender);
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
