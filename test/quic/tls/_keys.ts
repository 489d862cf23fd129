import { generateKeyPairSync, sign, type KeyPairKeyObjectResult } from 'node:crypto';

// selfsigned makes no certificate of an Ed25519 key, so all kinds are made here: what RFC 5280 4.1 requires, and no more.

const Tag = { bitString: 0x03, oid: 0x06, utf8: 0x0c, time: 0x17, sequence: 0x30, set: 0x31 };

/** A value in DER. */
function der(tag: number, ...contents: readonly Uint8Array[]): Buffer {
  const content = Buffer.concat(contents);
  const { length } = content;
  const size = length < 0x80 ? [length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
}

const hex = (digits: string): Buffer => Buffer.from(digits, 'hex');
/** 2.5.4.3 */
const COMMON_NAME = hex('550403');

interface Kind {
  /** The common name. */
  readonly host: string;
  readonly pair: KeyPairKeyObjectResult;
  /** AlgorithmIdentifier of the signature, without its tag. */
  readonly algorithm: Buffer;
  readonly hash: string | null;
}

/** A self-signed certificate, valid from 2026 to 2049, and its key, both in PEM. */
function selfSigned({ host, pair, algorithm, hash }: Kind): { cert: string; key: string } {
  const signature = der(Tag.sequence, algorithm);
  const commonName = [der(Tag.oid, COMMON_NAME), der(Tag.utf8, Buffer.from(host))];
  const name = der(Tag.sequence, der(Tag.set, der(Tag.sequence, ...commonName)));
  const dates = ['260101000000Z', '491231235959Z'].map((text) => der(Tag.time, Buffer.from(text)));
  const signed = der(
    Tag.sequence,
    // Version 3, and the serial number 1.
    hex('a003020102'),
    hex('020101'),
    signature,
    name,
    der(Tag.sequence, ...dates),
    name,
    pair.publicKey.export({ type: 'spki', format: 'der' }),
  );
  const bits = der(Tag.bitString, Buffer.of(0), sign(hash, signed, pair.privateKey));
  const lines = der(Tag.sequence, signed, signature, bits)
    .toString('base64')
    .match(/.{1,64}/g);
  const cert = ['-----BEGIN CERTIFICATE-----', ...(lines ?? []), '-----END CERTIFICATE-----', ''];
  const key = pair.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  return { cert: cert.join('\n'), key };
}

/** ecdsa-with-SHA256, -384 and -512 (RFC 5758 3.2). @param last arc of the identifier */
const ecdsa = (host: string, namedCurve: string, hash: string, last: number) =>
  selfSigned({
    host,
    pair: generateKeyPairSync('ec', { namedCurve }),
    algorithm: der(Tag.oid, hex('2a8648ce3d0403'), Buffer.of(last)),
    hash,
  });

/** A certificate of each kind of key, made anew in each run. */
export const keys = {
  p256: ecdsa('p256.example', 'P-256', 'sha256', 2),
  p384: ecdsa('p384.example', 'P-384', 'sha384', 3),
  p521: ecdsa('p521.example', 'P-521', 'sha512', 4),
  rsa: selfSigned({
    host: 'rsa.example',
    pair: generateKeyPairSync('rsa', { modulusLength: 2048 }),
    // sha256WithRSAEncryption (RFC 4055 5)
    algorithm: hex('06092a864886f70d01010b0500'),
    hash: 'sha256',
  }),
  ed25519: selfSigned({
    host: 'ed25519.example',
    pair: generateKeyPairSync('ed25519'),
    // RFC 8410 3
    algorithm: hex('06032b6570'),
    hash: null,
  }),
};
