import { describe, expect, test } from 'vitest';
import { Alert, type AlertName } from '../../../src/quic/tls/failure.ts';
import { Group, startKeyExchange } from '../../../src/quic/tls/key-exchange.ts';
import {
  certificate,
  certificateVerify,
  encryptedExtensions,
  handshakeMessage,
  newSessionTicket,
  serverHello,
} from '../../../src/quic/tls/messages.ts';
import { uint16s, vector } from '../../../src/wire/byte-writer.ts';
import { alpnExtension, extension } from '../../../src/wire/tls/extension-writer.ts';
import { RETRY_RANDOM } from '../../../src/wire/tls/server-hello.ts';
import { P256, Pair, type PairOptions } from './_handshake.ts';

const EMPTY = Buffer.alloc(0);
const RANDOM = Buffer.alloc(32, 3);
const PROTOCOL_VIOLATION = 0x0a;
const codeOf = (alert: AlertName): number => 0x100 + Alert[alert];
const shareOf = (group: number, share: Uint8Array): Buffer =>
  extension(51, Buffer.concat([uint16s([group]), vector(2, share)]));
const PARAMETERS = extension(57, EMPTY);
const ALPN = alpnExtension(['h3']);
const SIGNATURES = extension(13, vector(2, uint16s([0x0403])));
const entryOf = (der: Uint8Array, extensions: Uint8Array): Buffer =>
  Buffer.concat([vector(3, der), vector(2, extensions)]);
const hello = (...extensions: Buffer[]): Buffer => serverHello(RANDOM, 0x1301, extensions);
const retry = (...extensions: Buffer[]): Buffer => serverHello(RETRY_RANDOM, 0x1301, extensions);
const changed = (message: Buffer, at: number, value: number): Buffer => {
  const copy = Buffer.from(message);
  copy[at] = value;
  return copy;
};

/** What the client makes of a message in place of the server's of a type, or after its last one. */
function failureOf(type: number, message: Buffer, options: PairOptions = {}) {
  const pair = new Pair(options).run((flight, from) => {
    if (from === 'server' && flight.bytes[0] === type) flight.bytes = message;
  });
  expect(pair.atClient.completions).toBe(type === 4 ? 1 : 0);
  return pair.clientFailure;
}

describe('a ServerHello is refused', () => {
  const good = hello(shareOf(Group.x25519, Buffer.alloc(32, 9)));

  test.each<readonly [string, Buffer, AlertName, string]>([
    ['of an old version', changed(good, 5, 2), 'protocol_version', 'RFC 9001 4.2'],
    [
      'without supported_versions',
      changed(good, 4 + 2 + 32 + 1 + 2 + 1 + 2 + 1, 44),
      'protocol_version',
      'RFC 9001 4.2',
    ],
    ['with another version', changed(good, 49, 5), 'illegal_parameter', 'RFC 9846 4.3.1'],
    ['with compression', changed(good, 41, 1), 'illegal_parameter', 'RFC 9846 4.2.3'],
    [
      'with a suite that was not offered',
      changed(good, 40, 4),
      'illegal_parameter',
      'RFC 9846 4.2.3',
    ],
    ['without key_share', hello(), 'missing_extension', 'RFC 9846 4.2.3'],
    [
      'with a share of another group',
      hello(shareOf(Group.secp384r1, Buffer.alloc(97, 4))),
      'illegal_parameter',
      'RFC 9846 4.3.8',
    ],
    [
      'with an invalid share',
      hello(shareOf(Group.x25519, Buffer.alloc(31))),
      'illegal_parameter',
      'RFC 9846 4.3.8',
    ],
    [
      'with a PSK that was not offered',
      hello(shareOf(Group.x25519, RANDOM), extension(41, uint16s([0]))),
      'unsupported_extension',
      'RFC 9846 4.3',
    ],
    [
      'with an extension of another message',
      hello(shareOf(Group.x25519, RANDOM), ALPN),
      'illegal_parameter',
      'RFC 9846 4.3',
    ],
    [
      'with an extension twice',
      hello(shareOf(Group.x25519, RANDOM), shareOf(Group.x25519, RANDOM)),
      'illegal_parameter',
      'RFC 9846 4.3',
    ],
    ['with a malformed share', hello(extension(51, EMPTY)), 'decode_error', 'RFC 9846 4.3'],
    [
      'with a session ID',
      handshakeMessage(2, good.subarray(4, 38), vector(1, RANDOM), good.subarray(39)),
      'illegal_parameter',
      'RFC 9846 4.2.3',
    ],
    ['that is truncated', handshakeMessage(2, EMPTY), 'decode_error', 'RFC 9846 4.2.3'],
  ])('%s', (_, message, alert, section) => {
    expect(failureOf(2, message)).toMatchObject({ code: codeOf(alert), section });
  });

  test('with a suite that this client does not offer', () => {
    const message = serverHello(RANDOM, 0x1302, [shareOf(Group.x25519, Buffer.alloc(32, 9))]);
    const failure = failureOf(2, message, { client: { suites: [0x1301] } });
    expect(failure).toMatchObject({ code: codeOf('illegal_parameter'), section: 'RFC 9846 4.2.3' });
  });

  test('with bytes of the same level after it', () => {
    const { server, client, atServer, atClient } = new Pair();
    client.start();
    server.receive('initial', atClient.output[0]?.bytes ?? EMPTY);
    const bytes = Buffer.concat([atServer.output[0]?.bytes ?? EMPTY, Buffer.of(8)]);
    expect(client.receive('initial', bytes)).toMatchObject({
      code: PROTOCOL_VIOLATION,
      section: 'RFC 9001 4.1.3',
    });
  });
});

describe('a HelloRetryRequest is refused', () => {
  test.each<readonly [string, Buffer, AlertName, string]>([
    ['that asks for nothing', retry(), 'illegal_parameter', 'RFC 9846 4.2.4'],
    [
      'for a group that has a share',
      retry(extension(51, uint16s([Group.x25519]))),
      'illegal_parameter',
      'RFC 9846 4.3.8',
    ],
    [
      'for a group that was not offered',
      retry(extension(51, uint16s([0x19]))),
      'illegal_parameter',
      'RFC 9846 4.3.8',
    ],
    [
      'with another extension',
      retry(extension(51, uint16s([Group.secp256r1])), ALPN),
      'illegal_parameter',
      'RFC 9846 4.3',
    ],
  ])('%s', (_, message, alert, section) => {
    expect(failureOf(2, message)).toMatchObject({ code: codeOf(alert), section });
  });

  test('that comes twice', () => {
    const { client, atClient } = new Pair();
    client.start();
    const cookie = retry(extension(44, vector(2, Buffer.from('cookie'))));
    expect(client.receive('initial', cookie)).toBeUndefined();
    expect(atClient.output[1]?.bytes.includes('cookie')).toBe(true);
    expect(client.receive('initial', cookie)?.code).toBe(codeOf('unexpected_message'));
  });

  test('if the ServerHello selects another suite', () => {
    const { client } = new Pair();
    client.start();
    client.receive('initial', retry(extension(51, uint16s([Group.secp256r1]))));
    const { share } = startKeyExchange(Group.secp256r1);
    const message = serverHello(RANDOM, 0x1302, [shareOf(Group.secp256r1, share)]);
    expect(client.receive('initial', message)?.code).toBe(codeOf('illegal_parameter'));
  });
});

describe('what is encrypted is refused', () => {
  test.each<readonly [string, number, Buffer, AlertName, string]>([
    [
      'EncryptedExtensions without ALPN',
      8,
      encryptedExtensions([PARAMETERS]),
      'no_application_protocol',
      'RFC 9001 8.1',
    ],
    [
      'EncryptedExtensions with a protocol that was not offered',
      8,
      encryptedExtensions([alpnExtension(['h2']), PARAMETERS]),
      'illegal_parameter',
      'RFC 7301 3.1',
    ],
    [
      'EncryptedExtensions with two protocols',
      8,
      encryptedExtensions([alpnExtension(['h3', 'h3']), PARAMETERS]),
      'illegal_parameter',
      'RFC 7301 3.1',
    ],
    [
      'EncryptedExtensions without transport parameters',
      8,
      encryptedExtensions([ALPN]),
      'missing_extension',
      'RFC 9001 8.2',
    ],
    [
      'EncryptedExtensions that accept early data',
      8,
      encryptedExtensions([ALPN, PARAMETERS, extension(42, EMPTY)]),
      'unsupported_extension',
      'RFC 9846 4.3',
    ],
    [
      'EncryptedExtensions with a key share',
      8,
      encryptedExtensions([ALPN, PARAMETERS, shareOf(Group.x25519, RANDOM)]),
      'illegal_parameter',
      'RFC 9846 4.3',
    ],
    ['an empty Certificate', 11, certificate(EMPTY, []), 'decode_error', 'RFC 9846 4.5.1.3'],
    [
      'a Certificate with a context',
      11,
      certificate(Buffer.of(1), [P256.leaf.raw]),
      'illegal_parameter',
      'RFC 9846 4.5.1',
    ],
    [
      'a Certificate with an extension',
      11,
      handshakeMessage(11, Buffer.of(0), vector(3, entryOf(P256.leaf.raw, extension(5, EMPTY)))),
      'unsupported_extension',
      'RFC 9846 4.3',
    ],
    [
      'a Certificate with an empty one',
      11,
      handshakeMessage(11, Buffer.of(0), vector(3, entryOf(EMPTY, EMPTY))),
      'decode_error',
      'RFC 9846 4.5.1',
    ],
    [
      'a CertificateRequest with a context',
      11,
      handshakeMessage(13, Buffer.of(1, 1), vector(2, SIGNATURES)),
      'illegal_parameter',
      'RFC 9846 4.4.2',
    ],
    [
      'a CertificateRequest without signature_algorithms',
      11,
      handshakeMessage(13, Buffer.of(0), vector(2, EMPTY)),
      'missing_extension',
      'RFC 9846 4.4.2',
    ],
    [
      'a Certificate that is none',
      11,
      certificate(EMPTY, [Buffer.from('none')]),
      'bad_certificate',
      'RFC 9846 4.5.1',
    ],
    [
      'a Certificate in PEM',
      11,
      certificate(EMPTY, [Buffer.from(P256.leaf.toString())]),
      'bad_certificate',
      'RFC 9846 4.5.1',
    ],
    [
      'a signature with PKCS #1 1.5',
      15,
      certificateVerify(0x0401, RANDOM),
      'illegal_parameter',
      'RFC 9846 4.5.2',
    ],
    ['a wrong signature', 15, certificateVerify(0x0403, RANDOM), 'decrypt_error', 'RFC 9846 4.5.2'],
    ['a wrong Finished', 20, handshakeMessage(20, RANDOM), 'decrypt_error', 'RFC 9846 4.5.3'],
    ['a short Finished', 20, handshakeMessage(20, EMPTY), 'decrypt_error', 'RFC 9846 4.5.3'],
    ['no Certificate', 11, handshakeMessage(20, RANDOM), 'unexpected_message', 'RFC 9846 4'],
    ['KeyUpdate', 4, handshakeMessage(24, Buffer.of(0)), 'unexpected_message', 'RFC 9001 6'],
    [
      'a ticket without one',
      4,
      newSessionTicket(ticketOf(EMPTY)),
      'decode_error',
      'RFC 9846 4.7.1',
    ],
  ])('%s', (_, type, message, alert, section) => {
    expect(failureOf(type, message)).toMatchObject({ code: codeOf(alert), section });
  });

  test('a ticket for early data of TCP', () => {
    const message = newSessionTicket(ticketOf(RANDOM));
    const earlyData = extension(42, Buffer.of(0, 0, 1, 0));
    const body = Buffer.concat([message.subarray(4, -2), vector(2, earlyData)]);
    expect(failureOf(4, handshakeMessage(4, body))).toMatchObject({
      code: PROTOCOL_VIOLATION,
      section: 'RFC 9001 4.6.1',
    });
  });
});

function ticketOf(ticket: Buffer) {
  return { lifetime: 1, ageAdd: 2, nonce: EMPTY, ticket };
}

test('a CertificateRequest is read before the Certificate', () => {
  const request = handshakeMessage(13, Buffer.of(0), vector(2, SIGNATURES));
  const pair = new Pair();
  pair.run((flight, from) => {
    if (from === 'server' && flight.bytes[0] === 8)
      flight.bytes = Buffer.concat([flight.bytes, request]);
  });
  // The server of the test has not asked: its Finished does not cover the request.
  expect(pair.clientFailure?.code).toBe(codeOf('decrypt_error'));
  expect(pair.client.state).toBe('wait-certificate-verify');
});

test('broken transport parameters fail the handshake of both sides', () => {
  const broken = {
    section: 'RFC 9000 18.2',
    reason: 'ack_delay_exponent is 21',
    code: 'TRANSPORT_PARAMETER_ERROR',
  } as const;
  const expected = { section: 'RFC 9000 18.2', reason: 'ack_delay_exponent is 21', code: 8 };
  expect(new Pair({ serverParameters: broken }).run().serverFailure).toMatchObject(expected);
  expect(new Pair({ brokenServerParameters: broken }).run().clientFailure).toMatchObject(expected);
});

test('a ticket with a lifetime of zero is not kept', () => {
  const pair = new Pair().run((flight, from) => {
    if (from === 'server' && flight.bytes[0] === 4)
      flight.bytes = newSessionTicket({ ...ticketOf(RANDOM), lifetime: 0 });
  });
  expect(pair.clientFailure).toBeUndefined();
  expect(pair.atClient.sessions).toEqual([]);
});
