import { createDecipheriv, randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import {
  initialSecret,
  nextSecret,
  packetCiphers,
  packetKeys,
} from '../../../src/wire/quic/packet-keys.ts';
import { PacketProtection } from '../../../src/wire/quic/packet-protection.ts';
import { readPacket } from '../../../src/wire/quic/packet-reader.ts';
import {
  PacketWriter,
  writeLongHeader,
  writeShortHeader,
} from '../../../src/wire/quic/packet-writer.ts';
import { CHACHA_SECRET, CLIENT_FRAMES, CLIENT_ID, SERVER_FRAMES, v1, v2 } from './_samples.ts';

const hex = (text: string): Buffer => Buffer.from(text, 'hex');
const none = Buffer.alloc(0);
const eight = hex('0123456789abcdef');

const versions = [
  ['RFC 9001 A', 1, v1],
  ['RFC 9369 A', 0x6b33_43cf, v2],
] as const;

const clientFrames = Buffer.concat([hex(CLIENT_FRAMES), Buffer.alloc(1162)]).subarray(0, 1162);

/** Opens the only packet of a datagram. */
function open(keys: PacketProtection, datagram: Buffer, largest = -1, idLength = 0) {
  const packet = readPacket(datagram, 0, idLength);
  if (!('numberOffset' in packet)) throw new Error(packet.kind);
  return keys.open(datagram, packet, largest);
}

test.each(versions)('the Initial packet of a client in %s', (_, version, sample) => {
  expect(initialSecret(version, CLIENT_ID, 'client')).toEqual(hex(sample.clientSecret));
  const keys = PacketProtection.initial(version, CLIENT_ID, 'client');
  const writer = new PacketWriter(100);
  const header = { kind: 'initial', version, destinationId: CLIENT_ID, sourceId: none } as const;
  writeLongHeader(writer, header, 2, 4);
  writer.append(clientFrames);
  keys.seal(writer, 0, 22, 2);
  expect(writer.written.toString('hex')).toBe(sample.clientInitial);
  const opened = { number: 2, keyPhase: 0, payload: clientFrames, violation: undefined };
  expect(open(keys, hex(sample.clientInitial))).toEqual(opened);
});

test.each(versions)('the Initial packet of a server in %s', (_, version, sample) => {
  expect(initialSecret(version, CLIENT_ID, 'server')).toEqual(hex(sample.serverSecret));
  const keys = PacketProtection.initial(version, CLIENT_ID, 'server');
  const writer = new PacketWriter(1500);
  // What precedes the packet in the datagram is none of its business.
  writer.zeros(7);
  const sourceId = hex('f067a5502a4262b5');
  const header = { kind: 'initial', version, destinationId: none, sourceId } as const;
  writeLongHeader(writer, header, 1, 2);
  const payloadStart = writer.length;
  writer.append(hex(SERVER_FRAMES));
  keys.seal(writer, 7, payloadStart, 1);
  expect(writer.written.subarray(7).toString('hex')).toBe(sample.serverInitial);
  expect(open(keys, hex(sample.serverInitial))?.payload).toEqual(hex(SERVER_FRAMES));
});

test.each(versions)('the packet with ChaCha20-Poly1305 in %s', (_, version, sample) => {
  const secret = hex(CHACHA_SECRET);
  const cipher = packetCiphers[0x1303];
  expect(nextSecret(version, cipher, secret)).toEqual(hex(sample.chachaNextSecret));
  const keys = PacketProtection.of(version, cipher, secret);
  const writer = new PacketWriter(1500);
  const number = 654_360_564;
  writeShortHeader(writer, none, 0, number, 3);
  writer.uint8(0x01);
  keys.seal(writer, 0, 4, number);
  expect(writer.written.toString('hex')).toBe(sample.chachaPacket);
  const opened = open(keys, hex(sample.chachaPacket), number - 1);
  expect(opened).toMatchObject({ number, payload: hex('01') });
});

const ciphers = Object.values(packetCiphers);

test.each(ciphers)('$aead seals and opens packets of any number', (cipher) => {
  const keys = PacketProtection.of(1, cipher, randomBytes(cipher.hash === 'sha256' ? 32 : 48));
  const writer = new PacketWriter(64);
  const id = randomBytes(8);
  for (let run = 0; run < 500; run++) {
    const number = Math.floor(2 ** (Math.random() * 53)) - 1;
    const payload = randomBytes(Math.floor(Math.random() * 1400));
    writer.truncate(0);
    writeShortHeader(writer, id, run % 2 === 0 ? 0 : 1, number, 4);
    writer.append(payload);
    keys.seal(writer, 0, 13, number);
    const datagram = Buffer.from(writer.written);
    const opened = open(keys, datagram, number - 1, 8);
    expect(opened).toEqual({ number, keyPhase: run % 2, payload, violation: undefined });
    // The datagram is as it was, for those who capture it.
    expect(datagram.equals(writer.written)).toBe(true);
  }
  expect(keys.sealed).toBe(500);
});

test('the nonce has all bits of the packet number (RFC 9001 5.3)', () => {
  const secret = randomBytes(32);
  const cipher = packetCiphers[0x1301];
  const number = 2 ** 52 + 2 ** 31 + 5;
  const writer = new PacketWriter(64);
  writeShortHeader(writer, none, 0, number, 4);
  writer.append(eight);
  PacketProtection.of(1, cipher, secret).seal(writer, 0, 5, number);
  const { key, iv } = packetKeys(1, cipher, secret);
  const nonce = Buffer.from(iv);
  nonce.writeBigUInt64BE(nonce.readBigUInt64BE(4) ^ BigInt(number), 4);
  const decipher = createDecipheriv('aes-128-gcm', key, nonce);
  expect(decipher.update(writer.written.subarray(5, 13))).toEqual(eight);
});

test('a short payload gets PADDING, so that there is a sample', () => {
  const keys = PacketProtection.initial(1, CLIENT_ID, 'client');
  const writer = new PacketWriter(64);
  writeShortHeader(writer, none, 0, 5, 1);
  writer.uint8(0x01);
  keys.seal(writer, 0, 2, 5);
  expect(writer.length).toBe(21);
  expect(open(keys, writer.written)?.payload).toEqual(hex('010000'));
});

test.each(ciphers)('a packet with a changed bit does not open, $aead', (cipher) => {
  const keys = PacketProtection.of(1, cipher, randomBytes(cipher.hash === 'sha256' ? 32 : 48));
  const writer = new PacketWriter(64);
  writeShortHeader(writer, none, 0, 5, 1);
  writer.append(randomBytes(30));
  keys.seal(writer, 0, 2, 5);
  for (let bit = 2; bit < 8 * writer.length; bit++) {
    const datagram = Buffer.from(writer.written);
    const at = Math.floor(bit / 8);
    datagram.writeUInt8(datagram.readUInt8(at) ^ (0x80 >> (bit % 8)), at);
    expect(open(keys, datagram, 4)).toBeUndefined();
  }
});

test.each([
  ['long', 0x04, 'RFC 9000 17.2'],
  ['long', 0x08, 'RFC 9000 17.2'],
  ['short', 0x08, 'RFC 9000 17.3.1'],
  ['short', 0x10, 'RFC 9000 17.3.1'],
] as const)('a reserved bit of a %s header, 0x%x, is a violation', (form, bit, section) => {
  const keys = PacketProtection.initial(1, CLIENT_ID, 'client');
  const writer = new PacketWriter(64);
  const header = { kind: 'handshake', version: 1, destinationId: none, sourceId: none } as const;
  if (form === 'long') writeLongHeader(writer, header, 0, 1);
  else writeShortHeader(writer, none, 0, 0, 1);
  writer.buffer.writeUInt8(writer.buffer.readUInt8(0) | bit, 0);
  keys.seal(writer, 0, writer.length, 0);
  expect(open(keys, writer.written)?.violation).toMatchObject({
    section,
    code: 'PROTOCOL_VIOLATION',
  });
});

test('random packets do not open', () => {
  const keys = PacketProtection.initial(1, CLIENT_ID, 'server');
  for (let run = 0; run < 2000; run++) {
    const datagram = randomBytes(21 + (run % 100));
    datagram.writeUInt8(0x40 | (datagram.readUInt8() & 0x3f));
    expect(open(keys, datagram, run)).toBeUndefined();
  }
});
