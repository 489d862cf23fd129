import { describe, expect, test } from 'vitest';
import { Alert, type AlertName } from '../../../src/quic/tls/failure.ts';
import { Group, startKeyExchange } from '../../../src/quic/tls/key-exchange.ts';
import { uint16s, vector } from '../../../src/wire/byte-writer.ts';
import { alpnExtension, extension } from '../../../src/wire/tls/extension-writer.ts';
import { Pair } from './_handshake.ts';
import { helloOf, keyShareOf, pskOf, type HelloChanges } from './_hello.ts';

const PROTOCOL_VIOLATION = 0x0a;
const CRYPTO_ERROR = 0x100;
const KEY = Buffer.alloc(32, 9);
const EMPTY = Buffer.alloc(0);
const codeOf = (alert: AlertName): number => CRYPTO_ERROR + Alert[alert];

function answerTo(hello: Buffer) {
  const pair = new Pair();
  return { failure: pair.server.receive('initial', hello), pair };
}

test('a ClientHello with nothing wrong is answered', () => {
  const { failure, pair } = answerTo(helloOf());
  expect(failure).toBeUndefined();
  expect(pair.server.state).toBe('wait-finished');
  expect(pair.server.clientHello?.serverName).toBe('p256.example');
});

describe('a ClientHello is refused', () => {
  test.each<readonly [string, HelloChanges, AlertName, string]>([
    ['of another version', { version: 0x0302 }, 'protocol_version', 'RFC 9001 4.2'],
    [
      'without TLS 1.3',
      { extensions: { 43: extension(43, vector(1, uint16s([0x0303]))) } },
      'protocol_version',
      'RFC 9001 4.2',
    ],
    [
      'without supported_versions',
      { extensions: { 43: undefined } },
      'protocol_version',
      'RFC 9001 4.2',
    ],
    ['with compression', { compression: [0, 1] }, 'illegal_parameter', 'RFC 9846 4.2.2'],
    ['without a known suite', { suites: [0x1304] }, 'handshake_failure', 'RFC 9846 4.2.1'],
    [
      'without supported_groups',
      { extensions: { 10: undefined, 51: keyShareOf() } },
      'missing_extension',
      'RFC 9846 9.2',
    ],
    ['without key_share', { extensions: { 51: undefined } }, 'missing_extension', 'RFC 9846 9.2'],
    [
      'without signature_algorithms',
      { extensions: { 13: undefined } },
      'missing_extension',
      'RFC 9846 4.3.3',
    ],
    [
      'without transport parameters',
      { extensions: { 57: undefined } },
      'missing_extension',
      'RFC 9001 8.2',
    ],
    ['without ALPN', { extensions: { 16: undefined } }, 'no_application_protocol', 'RFC 9001 8.1'],
    [
      'with another protocol',
      { extensions: { 16: alpnExtension(['h2']) } },
      'no_application_protocol',
      'RFC 9001 8.1',
    ],
    [
      'without a known group',
      { extensions: { 10: extension(10, vector(2, uint16s([30]))), 51: keyShareOf() } },
      'handshake_failure',
      'RFC 9846 4.2.1',
    ],
    [
      'without a signature of the key',
      { extensions: { 13: extension(13, vector(2, uint16s([0x0401, 0x0804]))) } },
      'handshake_failure',
      'RFC 9846 4.2.1',
    ],
    [
      'with a repeated extension',
      { last: extension(57, EMPTY) },
      'illegal_parameter',
      'RFC 9846 4.3',
    ],
    [
      'with two shares of a group',
      { extensions: { 51: keyShareOf([Group.x25519, KEY], [Group.x25519, KEY]) } },
      'illegal_parameter',
      'RFC 9846 4.3.8',
    ],
    [
      'with a share of a group that it does not support',
      {
        extensions: { 51: keyShareOf([Group.secp384r1, startKeyExchange(Group.secp384r1).share]) },
      },
      'illegal_parameter',
      'RFC 9846 4.3.8',
    ],
    [
      'with an empty share',
      { extensions: { 51: keyShareOf([Group.x25519, EMPTY]) } },
      'decode_error',
      'RFC 9846 4.3.8',
    ],
    [
      'with a share of zeros',
      { extensions: { 51: keyShareOf([Group.x25519, Buffer.alloc(32)]) } },
      'illegal_parameter',
      'RFC 9846 4.3.8',
    ],
    [
      'with pre_shared_key before another extension',
      { extensions: { 41: pskOf([KEY], [KEY]) }, last: extension(21, EMPTY) },
      'illegal_parameter',
      'RFC 9846 4.3.11',
    ],
    [
      'with two binders for an identity',
      { last: pskOf([KEY], [KEY, KEY]) },
      'illegal_parameter',
      'RFC 9846 4.3.11',
    ],
    ['without an identity', { last: pskOf([], []) }, 'decode_error', 'RFC 9846 4.3.11'],
    [
      'with a PSK without its modes',
      { extensions: { 45: undefined }, last: pskOf([KEY], [KEY]) },
      'missing_extension',
      'RFC 9846 4.3.9',
    ],
    ...[0, 10, 13, 16, 43, 51].map(
      (type) =>
        [
          `with a malformed extension ${type}`,
          { extensions: { [type]: extension(type, Buffer.of(9, 9)) } },
          'decode_error',
          type === 51 ? 'RFC 9846 4.3.8' : 'RFC 9846 4.3',
        ] as const,
    ),
  ])('%s', (_, changes, alert, section) => {
    const { failure, pair } = answerTo(helloOf(changes));
    expect(failure).toMatchObject({ code: codeOf(alert), section });
    expect(pair.atServer.output).toEqual([]);
    expect(pair.server.receive('initial', helloOf())).toBe(failure);
  });

  test('with a session ID', () => {
    const { failure } = answerTo(helloOf({ sessionId: Buffer.alloc(32) }));
    expect(failure).toMatchObject({ code: PROTOCOL_VIOLATION, section: 'RFC 9001 8.4' });
  });

  test('with bytes left over', () => {
    const hello = Buffer.concat([helloOf(), Buffer.of(0)]);
    hello.writeUIntBE(hello.length - 4, 1, 3);
    expect(answerTo(hello).failure?.code).toBe(codeOf('decode_error'));
  });
});

describe('a ClientHello is answered', () => {
  test('with a PSK of another server, or only for psk_ke', () => {
    const tickets = pskOf(Array(9).fill(KEY), Array(9).fill(KEY));
    expect(answerTo(helloOf({ last: tickets })).failure).toBeUndefined();
    const pskKe = { extensions: { 45: extension(45, Buffer.of(1, 0)) }, last: tickets };
    expect(answerTo(helloOf(pskKe)).failure).toBeUndefined();
  });

  test('with GREASE, unknown extensions and early_data', () => {
    const hello = helloOf({
      suites: [0x0a0a, 0x1303],
      extensions: { 0x2a2a: extension(0x2a2a, Buffer.of(0)), 42: extension(42, EMPTY) },
    });
    const { failure, pair } = answerTo(hello);
    expect(failure).toBeUndefined();
    expect(pair.server.negotiated.suite).toBe(0x1303);
  });
});

describe('a second ClientHello', () => {
  const first = helloOf({ extensions: { 51: keyShareOf() } });
  const share = startShare();

  test.each<readonly [string, HelloChanges]>([
    ['without a share', { extensions: { 51: keyShareOf() } }],
    [
      'with a share of another group',
      { extensions: { 51: keyShareOf([Group.secp256r1, Buffer.alloc(65)]) } },
    ],
    ['with another suite', { suites: [0x1302], extensions: { 51: share } }],
    ['with early_data', { extensions: { 51: share, 42: extension(42, EMPTY) } }],
  ])('is refused %s', (_, changes) => {
    const { pair, failure } = answerTo(first);
    expect(failure).toBeUndefined();
    expect(pair.server.state).toBe('wait-second-hello');
    const second = pair.server.receive('initial', helloOf(changes));
    expect(second).toMatchObject({ code: codeOf('illegal_parameter'), section: 'RFC 9846 4.2.2' });
  });

  test('is answered with the share', () => {
    const { pair } = answerTo(first);
    expect(pair.server.receive('initial', helloOf({ extensions: { 51: share } }))).toBeUndefined();
    expect(pair.server.state).toBe('wait-finished');
  });
});

function startShare(): Buffer {
  return keyShareOf([Group.x25519, KEY]);
}
