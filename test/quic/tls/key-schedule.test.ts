import { X509Certificate } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import {
  isSame,
  KeySchedule,
  pskBinder,
  ticketPsk,
  Transcript,
  verifyData,
} from '../../../src/quic/tls/key-schedule.ts';
import { readCertificate, readCertificateVerify } from '../../../src/quic/tls/messages.ts';
import { isSignedBy } from '../../../src/quic/tls/signatures.ts';
import { resumed, retried, simple } from './_rfc8448.ts';

const HEADER = 4;
const bodyOf = (message: Buffer): Buffer => message.subarray(HEADER);

function transcriptOf(...messages: readonly Buffer[]): Transcript {
  const transcript = new Transcript('sha256');
  for (const message of messages) transcript.add(message);
  return transcript;
}

describe('the handshake of RFC 8448 3', () => {
  const { clientHello, serverHello, encryptedExtensions, certificate, certificateVerify } = simple;
  const schedule = new KeySchedule('sha256', simple.shared, undefined);
  const main = schedule.mainSecret();
  const handshake = schedule.handshakeSecrets(transcriptOf(clientHello, serverHello).digest());
  const flight = [clientHello, serverHello, encryptedExtensions, certificate] as const;

  test('has these handshake secrets', () => {
    expect(handshake.client.toString('hex')).toBe(
      'b3eddb126e067f35a780b3abf45e2d8f3b1a950738f52e9600746a0e27a55a21',
    );
    expect(handshake.server.toString('hex')).toBe(
      'b67b7d690cc16c4e75e54213cb2d37b4e9c912bcded9105d42befd59d391ad38',
    );
  });

  test('has these application secrets', () => {
    const transcript = transcriptOf(...flight, certificateVerify, simple.serverFinished);
    const { client, server } = main.applicationSecrets(transcript.digest());
    expect(client.toString('hex')).toBe(
      '9e40646ce79a7f9dc05af8889bce6552875afa0b06df0087f792ebb7c17504a5',
    );
    expect(server.toString('hex')).toBe(
      'a11af9f05531f856ad47116b45a950328204b4f44bfb6b3a4b4f1f3fcb631643',
    );
  });

  test('has these Finished messages', () => {
    const transcript = transcriptOf(...flight, certificateVerify);
    const ofServer = verifyData('sha256', handshake.server, transcript.digest());
    expect(ofServer).toEqual(bodyOf(simple.serverFinished));
    transcript.add(simple.serverFinished);
    const ofClient = verifyData('sha256', handshake.client, transcript.digest());
    expect(ofClient).toEqual(bodyOf(simple.clientFinished));
  });

  test('has this signature', () => {
    const [der] = readCertificate(bodyOf(certificate));
    const { scheme, signature } = readCertificateVerify(bodyOf(certificateVerify));
    const { publicKey } = new X509Certificate(der ?? '');
    const transcript = transcriptOf(...flight);
    expect(isSignedBy(scheme, publicKey, transcript.digest(), signature)).toBe(true);
    transcript.add(Buffer.of(0));
    expect(isSignedBy(scheme, publicKey, transcript.digest(), signature)).toBe(false);
  });

  test('has this PSK for its ticket', () => {
    const { serverFinished, clientFinished } = simple;
    const transcript = transcriptOf(...flight, certificateVerify, serverFinished, clientFinished);
    const secret = main.resumptionSecret(transcript.digest());
    expect(secret.toString('hex')).toBe(
      '7df235f2031d2a051287d02b0241b0bfdaf86cc856231f2d5aba46c434ec196c',
    );
    expect(ticketPsk('sha256', secret, Buffer.alloc(2))).toEqual(resumed.psk);
  });
});

test('the binder of a PSK is that of RFC 8448 4', () => {
  const { clientHello, psk } = resumed;
  const truncated = clientHello.subarray(0, -35);
  const binder = pskBinder('sha256', psk, new Transcript('sha256').digest(truncated));
  expect(binder).toEqual(clientHello.subarray(-32));
});

test('the transcript after a HelloRetryRequest is that of RFC 8448 5', () => {
  const transcript = transcriptOf(retried.clientHello);
  transcript.startAgain();
  for (const each of [retried.retryRequest, retried.secondHello, retried.serverHello])
    transcript.add(each);
  const schedule = new KeySchedule('sha256', retried.shared, undefined);
  const { client, server } = schedule.handshakeSecrets(transcript.digest());
  expect(client.toString('hex')).toBe(
    '158aa7ab8855073582b41d674b4055cabcc534728f659314861b4e08e2011566',
  );
  expect(server.toString('hex')).toBe(
    '3403e781e2af7b6508da28574f6e95a1abf162de83a97927c37672a4a0cef8a1',
  );
});

test('a digest of further bytes adds none of them', () => {
  const transcript = transcriptOf(simple.clientHello);
  const before = transcript.digest();
  expect(transcript.digest(Buffer.of(1))).not.toEqual(before);
  expect(transcript.digest()).toEqual(before);
});

test('values of different lengths are not the same', () => {
  expect(isSame(Buffer.of(1, 2), Buffer.of(1, 2))).toBe(true);
  expect(isSame(Buffer.of(1, 2), Buffer.of(1, 3))).toBe(false);
  expect(isSame(Buffer.of(1, 2), Buffer.of(1))).toBe(false);
});
