import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { OneRttProtection } from '../../../src/wire/quic/one-rtt-protection.ts';
import { packetCiphers, type PacketCipher } from '../../../src/wire/quic/packet-keys.ts';
import { PacketProtection } from '../../../src/wire/quic/packet-protection.ts';
import { readPacket } from '../../../src/wire/quic/packet-reader.ts';
import { PacketWriter, writeShortHeader } from '../../../src/wire/quic/packet-writer.ts';

/** One end of a connection. */
class End {
  readonly keys: OneRttProtection;
  #number = 0;
  #largest = -1;

  constructor(read: PacketProtection, write: PacketProtection) {
    this.keys = new OneRttProtection(read, write);
  }

  send(): Buffer {
    const writer = new PacketWriter(100);
    const number = this.#number++;
    writeShortHeader(writer, Buffer.alloc(0), this.keys.keyPhase, number, 2);
    writer.uint8(0x01);
    this.keys.seal(writer, 0, 3, number);
    return writer.written;
  }

  /** @returns the number of the packet; undefined if it does not open */
  receive(datagram: Buffer): number | undefined {
    const packet = readPacket(datagram, 0, 0);
    if (packet.kind !== '1-rtt') throw new Error(packet.kind);
    const opened = this.keys.open(datagram, packet, this.#largest);
    if (opened) this.#largest = Math.max(this.#largest, opened.number);
    return opened?.number;
  }
}

function pair(cipher: PacketCipher = packetCiphers[0x1301]): readonly [End, End] {
  const [one, two] = [randomBytes(32), randomBytes(32)];
  const keys = (secret: Buffer) => PacketProtection.of(1, cipher, secret);
  return [new End(keys(one), keys(two)), new End(keys(two), keys(one))];
}

test('an update of one end is followed by the other one (RFC 9001 6.1, 6.2)', () => {
  const [client, server] = pair(packetCiphers[0x1303]);
  expect(server.receive(client.send())).toBe(0);
  expect(client.keys.mayUpdate).toBe(false);
  client.keys.acknowledged(0);
  expect(client.keys.mayUpdate).toBe(true);
  client.keys.update();
  expect([client.keys.keyPhase, server.keys.keyPhase]).toEqual([1, 0]);
  // What the server has sent before is of the old phase.
  expect(client.receive(server.send())).toBe(0);
  expect(server.receive(client.send())).toBe(1);
  expect(server.keys.keyPhase).toBe(1);
  expect(client.receive(server.send())).toBe(1);
  // The answer of the server is no update of its own.
  expect([client.keys.updates, server.keys.updates]).toEqual([1, 1]);
});

test('no second update before a packet of this phase was acknowledged (RFC 9001 6.1)', () => {
  const [client, server] = pair();
  server.receive(client.send());
  client.keys.acknowledged(0);
  client.keys.update();
  client.keys.acknowledged(0);
  expect(client.keys.mayUpdate).toBe(false);
  server.receive(client.send());
  client.keys.acknowledged(1);
  expect(client.keys.mayUpdate).toBe(true);
});

test('a hundred updates by turns', () => {
  const ends = pair();
  for (let turn = 0; turn < 100; turn++) {
    const [from, to] = turn % 2 === 0 ? ends : [ends[1], ends[0]];
    from.keys.update();
    expect(to.receive(from.send())).toBe(turn);
    expect(from.receive(to.send())).toBe(turn);
  }
  expect(ends.map(({ keys }) => keys.updates)).toEqual([100, 100]);
});

test('late packets open with the old keys until they are forgotten (RFC 9001 6.5)', () => {
  const [client, server] = pair();
  const [first, late, later] = [client.send(), client.send(), client.send()];
  expect(server.receive(first)).toBe(0);
  client.keys.update();
  const next = client.send();
  expect(server.receive(client.send())).toBe(4);
  expect(server.keys.hasPrevious).toBe(true);
  expect(server.receive(late)).toBe(1);
  expect(server.receive(next)).toBe(3);
  server.keys.forgetPrevious();
  expect(server.keys.hasPrevious).toBe(false);
  expect(server.receive(later)).toBeUndefined();
  expect(server.receive(client.send())).toBe(5);
});

test('a packet with a changed Key Phase bit changes nothing', () => {
  const [client, server] = pair();
  for (let run = 0; run < 100; run++) {
    const datagram = client.send();
    const forged = Buffer.from(datagram);
    forged.writeUInt8(forged.readUInt8() ^ 0x04);
    expect(server.receive(forged)).toBeUndefined();
    expect(server.receive(datagram)).toBe(run);
  }
  expect(server.keys.updates).toBe(0);
});

test('keys should be updated, and at last may not be used, by the number of packets (RFC 9001 6.6)', () => {
  const [client] = pair({ ...packetCiphers[0x1301], confidentialityLimit: 4 });
  const states = Array.from({ length: 5 }, () => {
    const state = [client.keys.needsUpdate, client.keys.isExhausted];
    client.send();
    return state;
  });
  expect(states).toEqual([
    [false, false],
    [false, false],
    [true, false],
    [true, false],
    [true, true],
  ]);
  client.keys.update();
  expect(client.keys.needsUpdate).toBe(false);
});
