import { describe, expect, test } from 'vitest';
import { CaptureConnection } from '../../src/inspect/capture-connection.ts';
import {
  decryptionSecrets,
  interfaceDescription,
  interfaceStatistics,
  sectionHeader,
} from '../../src/inspect/pcapng.ts';
import { blocksOf, optionsOf, packetOf, type Packet } from './_pcapng.ts';

const CLIENT = { address: '::ffff:192.0.2.1', port: 50_000 };
const SERVER = { address: '::ffff:192.0.2.2', port: 8080 };
const TIME = Date.UTC(2026, 10, 22) + 0.125;

const packetsOf = (...bytes: Buffer[]): Packet[] => blocksOf(Buffer.concat(bytes)).map(packetOf);

test('the blocks before the packets', () => {
  const secrets = Buffer.from('CLIENT_RANDOM 00 11\n');
  const file = Buffer.concat([
    sectionHeader('wirebin'),
    interfaceDescription('tap'),
    decryptionSecrets(secrets),
  ]);
  const [section, port, keys] = blocksOf(file);
  expect(section?.type).toBe(0x0a0d0d0a);
  expect(section?.body.subarray(0, 8).toString('hex')).toBe('4d3c2b1a01000000');
  expect(section && optionsOf(section.body, 16).get(4)?.toString()).toBe('wirebin');
  expect(port?.type).toBe(1);
  expect(port?.body.readUInt16LE(0)).toBe(101);
  expect(port && optionsOf(port.body, 8)).toEqual(
    new Map([
      [2, Buffer.from('tap')],
      [9, Buffer.of(6)],
    ]),
  );
  expect(keys?.type).toBe(10);
  expect(keys?.body.subarray(0, 4).toString('latin1')).toBe('KSLT');
  expect(keys?.body.subarray(8, 8 + (keys?.body.readUInt32LE(4) ?? 0))).toEqual(secrets);
});

test('statistics', () => {
  const [block] = blocksOf(
    interfaceStatistics({ start: TIME, end: TIME + 1, received: 5, dropped: 2 }),
  );
  const options = block && optionsOf(block.body, 12);
  expect(block?.type).toBe(5);
  expect(options?.get(4)?.readBigUInt64LE()).toBe(5n);
  expect(options?.get(5)?.readBigUInt64LE()).toBe(2n);
});

describe('a connection', () => {
  test('from SYN to FIN', () => {
    const capture = new CaptureConnection(CLIENT, SERVER, 'connection 1');
    const packets = packetsOf(
      capture.open(TIME),
      capture.data('client', Buffer.from('GET'), TIME + 1),
      capture.data('server', Buffer.from('200'), TIME + 2),
      capture.data('server', Buffer.alloc(0), TIME + 2),
      capture.close('server', 'fin', TIME + 3),
      capture.close('server', 'fin', TIME + 3),
      capture.data('client', Buffer.from('x'), TIME + 4),
      capture.close('client', 'fin', TIME + 5),
      capture.close('client', 'rst', TIME + 5),
    );
    expect(
      packets.map(({ sourcePort, sequence, acknowledgment, flags, data }) => [
        sourcePort === CLIENT.port ? 'client' : 'server',
        sequence,
        acknowledgment,
        flags,
        data.toString(),
      ]),
    ).toEqual([
      ['client', 0, 0, 0x02, ''],
      ['server', 0, 1, 0x12, ''],
      ['client', 1, 1, 0x10, ''],
      ['client', 1, 1, 0x18, 'GET'],
      ['server', 1, 4, 0x18, '200'],
      ['server', 4, 4, 0x11, ''],
      ['client', 4, 5, 0x10, ''],
      ['client', 4, 5, 0x18, 'x'],
      ['client', 5, 5, 0x11, ''],
      ['server', 5, 6, 0x10, ''],
    ]);
    expect(packets[0]).toMatchObject({
      source: 'c0000201',
      destination: 'c0000202',
      microseconds: TIME * 1000,
      options: new Map([
        [1, Buffer.from('connection 1')],
        [2, Buffer.of(1, 0, 0, 0)],
      ]),
    });
    expect(packets[1]?.options).toEqual(new Map([[2, Buffer.of(2, 0, 0, 0)]]));
  });

  test('that is reset', () => {
    const capture = new CaptureConnection(CLIENT, SERVER);
    const [rst, ...others] = packetsOf(
      capture.open(TIME),
      capture.close('server', 'rst', TIME),
      capture.close('client', 'fin', TIME),
    ).slice(3);
    expect(rst).toMatchObject({ flags: 0x14, sequence: 1, acknowledgment: 1 });
    expect(others).toEqual([]);
  });

  test.each([
    ['2001:db8::1', '20010db8000000000000000000000001'],
    ['::', '0'.repeat(32)],
    ['fe80::1%eth0', 'fe800000000000000000000000000001'],
    ['1:2:3:4:5:6:7:8', '00010002000300040005000600070008'],
    ['::ffff:192.0.2.1', '00000000000000000000ffffc0000201'],
    ['192.0.2.1', '00000000000000000000ffffc0000201'],
  ])('over IPv6 from %s', (address, bytes) => {
    const capture = new CaptureConnection({ address, port: 1 }, { address: '::1', port: 2 });
    const [syn, , , data] = packetsOf(
      capture.open(TIME),
      capture.data('client', Buffer.of(1, 2, 3), TIME),
    );
    expect(syn).toMatchObject({ source: bytes, destination: `${'0'.repeat(31)}1` });
    expect(data?.data).toEqual(Buffer.of(1, 2, 3));
  });

  test('with more data than a packet holds', () => {
    const capture = new CaptureConnection(CLIENT, SERVER);
    capture.open(TIME);
    const bytes = Buffer.alloc(150_001, 7);
    const packets = packetsOf(capture.data('server', bytes, TIME));
    expect(packets.map(({ data }) => data.length)).toEqual([65_000, 65_000, 20_001]);
    expect(packets.map(({ sequence }) => sequence)).toEqual([1, 65_001, 130_001]);
  });
});
