/** One block of a pcapng file, without its lengths. */
export interface Block {
  readonly type: number;
  readonly body: Buffer;
}

/** Reads the blocks back. @throws if a length is wrong */
export function blocksOf(file: Buffer): Block[] {
  const blocks: Block[] = [];
  for (let at = 0; at < file.length;) {
    const length = file.readUInt32LE(at + 4);
    if (length % 4 !== 0 || file.readUInt32LE(at + length - 4) !== length) {
      throw new Error(`the lengths of the block at ${at} differ`);
    }
    blocks.push({ type: file.readUInt32LE(at), body: file.subarray(at + 8, at + length - 4) });
    at += length;
  }
  return blocks;
}

/** The options after the fixed part of a block. */
export function optionsOf(body: Buffer, from: number): Map<number, Buffer> {
  const options = new Map<number, Buffer>();
  for (let at = from; at < body.length;) {
    const code = body.readUInt16LE(at);
    const length = body.readUInt16LE(at + 2);
    if (code !== 0) options.set(code, body.subarray(at + 4, at + 4 + length));
    at += 4 + length + (-length & 3);
  }
  return options;
}

export interface Packet {
  readonly microseconds: number;
  readonly options: Map<number, Buffer>;
  readonly source: string;
  readonly destination: string;
  readonly sourcePort: number;
  readonly destinationPort: number;
  readonly sequence: number;
  readonly acknowledgment: number;
  readonly flags: number;
  readonly data: Buffer;
}

/** The packet of an Enhanced Packet Block. @throws if a length or checksum is wrong */
export function packetOf({ body }: Block): Packet {
  const length = body.readUInt32LE(12);
  const ip = body.subarray(20, 20 + length);
  const isIpv4 = ip.readUInt8(0) === 0x45;
  const header = isIpv4 ? 20 : 40;
  const size = isIpv4 ? 4 : 16;
  const addresses = isIpv4 ? 12 : 8;
  const source = ip.subarray(addresses, addresses + size);
  const destination = ip.subarray(addresses + size, addresses + 2 * size);
  const tcp = ip.subarray(header);
  const total = isIpv4 ? ip.readUInt16BE(2) : header + ip.readUInt16BE(4);
  if (total !== length) throw new Error('the length of the IP packet is wrong');
  const pseudo = Buffer.from([...source, ...destination, 0, 6, tcp.length >> 8, tcp.length & 255]);
  if (onesSum(Buffer.concat([pseudo, tcp])) !== 0xffff) throw new Error('wrong TCP checksum');
  if (isIpv4 && onesSum(ip.subarray(0, 20)) !== 0xffff) throw new Error('wrong IP checksum');
  return {
    microseconds: body.readUInt32LE(4) * 2 ** 32 + body.readUInt32LE(8),
    options: optionsOf(body, 20 + length + (-length & 3)),
    source: source.toString('hex'),
    destination: destination.toString('hex'),
    sourcePort: tcp.readUInt16BE(0),
    destinationPort: tcp.readUInt16BE(2),
    sequence: tcp.readUInt32BE(4),
    acknowledgment: tcp.readUInt32BE(8),
    flags: tcp.readUInt8(13),
    data: tcp.subarray((tcp.readUInt8(12) >> 4) * 4),
  };
}

/** Of bytes with their checksum it is 0xffff (RFC 1071). */
function onesSum(bytes: Buffer): number {
  let sum = 0;
  for (let at = 0; at < bytes.length; at += 2) {
    sum += ((bytes[at] ?? 0) << 8) | (bytes[at + 1] ?? 0);
    if (sum > 0xffff) sum -= 0xffff;
  }
  return sum;
}
