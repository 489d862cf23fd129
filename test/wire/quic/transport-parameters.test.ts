import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { varint } from '../../../src/wire/byte-writer.ts';
import type { Role } from '../../../src/wire/quic/names.ts';
import {
  integerValue,
  ParameterId,
  readTransportParameters,
  transportParameter,
  TransportParameters,
  writeTransportParameters,
  type TransportParameter,
} from '../../../src/wire/quic/transport-parameters.ts';
import { CLIENT_FRAMES } from './_samples.ts';

const hex = (text: string): Buffer => Buffer.from(text, 'hex');

const source = transportParameter(ParameterId.initialSourceConnectionId, hex('aabb'));
const original = transportParameter(ParameterId.originalDestinationConnectionId, hex('cc'));

function violationOf(sender: Role, ...parameters: readonly TransportParameter[]) {
  const bytes = writeTransportParameters(parameters);
  const read = readTransportParameters(bytes, sender);
  expect(read.parameters).toEqual(parameters);
  return read.violation;
}

test('those of the client in RFC 9001 A.2', () => {
  // The extension is the last one of the ClientHello.
  const bytes = hex(CLIENT_FRAMES).subarray(-0x32);
  const { parameters, violation } = readTransportParameters(bytes, 'client');
  expect(violation).toBeUndefined();
  const shown = parameters.map((each) => [
    each.id,
    integerValue(each) ?? each.value.toString('hex'),
  ]);
  expect(shown).toEqual([
    [0x04, 2n ** 62n - 1n],
    [0x05, 65_535],
    [0x07, 65_535],
    [0x08, 16],
    [0x01, 30_000],
    [0x09, 16],
    [0x0f, '8394c8f03e515708'],
    [0x06, 65_535],
  ]);
  expect(writeTransportParameters(parameters)).toEqual(bytes);
  const values = new TransportParameters(parameters);
  expect(values.integer(ParameterId.initialMaxData)).toBe(Number.MAX_SAFE_INTEGER);
  expect(values.integer(ParameterId.maxIdleTimeout)).toBe(30_000);
  expect(values.bytes(ParameterId.initialSourceConnectionId)).toEqual(hex('8394c8f03e515708'));
});

test('the order, unknown parameters and repeated ones are kept', () => {
  const parameters = [
    source,
    { id: 2n ** 62n - 5n, value: hex('0102') },
    transportParameter(27, hex('')),
    transportParameter(0x3128, hex('41')),
    source,
  ];
  const bytes = writeTransportParameters(parameters);
  const read = readTransportParameters(bytes, 'client');
  expect(read.parameters).toEqual(parameters);
  expect(read.violation).toEqual({
    section: 'RFC 9000 7.4',
    reason: 'initial_source_connection_id twice',
    code: 'TRANSPORT_PARAMETER_ERROR',
  });
});

test('defaults (RFC 9000 18.2)', () => {
  const values = new TransportParameters([]);
  expect(values.integer(ParameterId.maxIdleTimeout)).toBe(0);
  expect(values.integer(ParameterId.maxUdpPayloadSize)).toBe(65_527);
  expect(values.integer(ParameterId.initialMaxStreamsUni)).toBe(0);
  expect(values.integer(ParameterId.ackDelayExponent)).toBe(3);
  expect(values.integer(ParameterId.maxAckDelay)).toBe(25);
  expect(values.integer(ParameterId.activeConnectionIdLimit)).toBe(2);
  expect(values.integer(ParameterId.maxDatagramFrameSize)).toBe(0);
  expect(values.has(ParameterId.disableActiveMigration)).toBe(false);
  expect(values.versionInformation).toBeUndefined();
  expect(values.preferredConnectionId).toBeUndefined();
});

test.each<
  [id: keyof typeof ParameterId, allowed: (number | bigint)[], refused: (number | bigint)[]]
>([
  ['maxIdleTimeout', [0, 2n ** 62n - 1n], []],
  ['maxUdpPayloadSize', [1200, 65_527, 2 ** 40], [0, 1199]],
  ['initialMaxData', [0, 2n ** 62n - 1n], []],
  ['initialMaxStreamsBidi', [0, 2n ** 60n], [2n ** 60n + 1n, 2n ** 62n - 1n]],
  ['initialMaxStreamsUni', [0, 2n ** 60n], [2n ** 60n + 1n]],
  ['ackDelayExponent', [0, 20], [21, 2n ** 62n - 1n]],
  ['maxAckDelay', [0, 16_383], [16_384]],
  ['activeConnectionIdLimit', [2, 2n ** 62n - 1n], [0, 1]],
  ['maxDatagramFrameSize', [0, 65_535], []],
])('%s is an integer in a range', (name, allowed, refused) => {
  const id = ParameterId[name];
  for (const value of allowed) {
    expect(violationOf('client', source, transportParameter(id, value))).toBeUndefined();
    expect(integerValue(transportParameter(id, value))).toBe(
      value <= Number.MAX_SAFE_INTEGER ? Number(value) : value,
    );
  }
  const section = name.startsWith('initialMaxStreams') ? 'RFC 9000 4.6' : 'RFC 9000 18.2';
  for (const value of refused) {
    const violation = violationOf('client', source, transportParameter(id, value));
    expect(violation).toMatchObject({ section, code: 'TRANSPORT_PARAMETER_ERROR' });
  }
  for (const bytes of ['', '40', '0303', 'c0000000000000']) {
    const violation = violationOf('client', source, transportParameter(id, hex(bytes)));
    expect(violation?.reason).toMatch(/ that is no integer$/);
  }
});

const address = (idLength: number, length = idLength): Buffer =>
  Buffer.concat([randomBytes(24), Buffer.of(idLength), randomBytes(length + 16)]);
const versions = (...list: readonly number[]): Buffer =>
  Buffer.concat(list.map((version) => Buffer.of(0, 0, 0, version)));

test.each<[id: keyof typeof ParameterId, allowed: readonly Buffer[], refused: readonly Buffer[]]>([
  ['retrySourceConnectionId', [hex(''), randomBytes(20)], [randomBytes(21)]],
  ['statelessResetToken', [randomBytes(16)], [hex(''), randomBytes(15), randomBytes(17)]],
  ['disableActiveMigration', [hex('')], [hex('00')]],
  ['greaseQuicBit', [hex('')], [hex('01')]],
  [
    'preferredAddress',
    [address(1), address(20)],
    [hex(''), address(0), address(21), address(4, 5)],
  ],
  [
    'versionInformation',
    [versions(1), versions(1, 2)],
    [hex(''), hex('000001'), versions(0, 1), versions(1, 0)],
  ],
])('%s has bytes of a form', (name, allowed, refused) => {
  const id = ParameterId[name];
  for (const value of allowed) {
    expect(violationOf('server', source, original, transportParameter(id, value))).toBeUndefined();
  }
  for (const value of refused) {
    const violation = violationOf('server', source, original, transportParameter(id, value));
    expect(violation?.code).toBe('TRANSPORT_PARAMETER_ERROR');
  }
});

test.each([
  ['originalDestinationConnectionId', hex('aa')],
  ['statelessResetToken', randomBytes(16)],
  ['preferredAddress', address(8)],
  ['retrySourceConnectionId', hex('aa')],
] as const)('%s is not for clients (RFC 9000 18.2)', (name, value) => {
  const violation = violationOf('client', source, transportParameter(ParameterId[name], value));
  expect(violation).toMatchObject({ section: 'RFC 9000 18.2' });
  expect(violation?.reason).toMatch(/ from a client$/);
});

const information = (...list: readonly number[]): TransportParameter =>
  transportParameter(ParameterId.versionInformation, versions(...list));

test('the version that a client has chosen has to be available (RFC 9368 4)', () => {
  expect(violationOf('client', source, information(1, 2, 1))).toBeUndefined();
  expect(violationOf('client', source, information(1, 2))?.section).toBe('RFC 9368 4');
  expect(violationOf('server', source, original, information(1, 2))).toBeUndefined();
  expect(new TransportParameters([information(1, 2, 3)]).versionInformation).toEqual({
    chosen: 1,
    available: [2, 3],
  });
});

test('connection IDs must be there (RFC 9000 7.3)', () => {
  expect(violationOf('client')?.reason).toBe('no initial_source_connection_id');
  expect(violationOf('server', source)?.reason).toBe('no original_destination_connection_id');
  expect(violationOf('server', source, original)).toBeUndefined();
});

test('the connection ID of a preferred address', () => {
  const value = address(8);
  const values = new TransportParameters([transportParameter(ParameterId.preferredAddress, value)]);
  expect(values.preferredConnectionId).toEqual({
    connectionId: value.subarray(25, 33),
    resetToken: value.subarray(33),
  });
});

test('what is truncated is an error, and what comes before is shown', () => {
  const bytes = writeTransportParameters([source, original]);
  for (let end = 5; end < bytes.length; end++) {
    const { parameters, violation } = readTransportParameters(bytes.subarray(0, end), 'server');
    expect(parameters).toEqual([source]);
    expect(violation?.section).toBe('RFC 9000 18');
  }
  const huge = Buffer.concat([varint(1), varint(2n ** 62n - 1n), hex('00')]);
  expect(readTransportParameters(huge, 'client').violation?.section).toBe('RFC 9000 18');
});

test('random bytes are read', () => {
  for (let run = 0; run < 20_000; run++) {
    const bytes = randomBytes(run % 60);
    for (let at = 0; at < bytes.length; at++) {
      if (Math.random() < 0.7) bytes.writeUInt8(bytes.readUInt8(at) & 0x13, at);
    }
    const sender = run % 2 === 0 ? 'client' : 'server';
    const { parameters, violation } = readTransportParameters(bytes, sender);
    if (violation?.section === 'RFC 9000 18') continue;
    const again = writeTransportParameters(parameters);
    expect(readTransportParameters(again, sender)).toEqual({ parameters, violation });
  }
});
