import { generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import { hostname } from 'node:os';
import type { Credentials } from './tls-server.ts';

const DAY = 24 * 60 * 60 * 1000;
const LIFETIME = 365 * DAY;

const LOOPBACK = [Buffer.from([127, 0, 0, 1]), Buffer.from([...Buffer.alloc(15), 1])];

/** Tags of DER (X.690 8); those of a context are constructed if they have elements in them. */
const BOOLEAN = 0x01;
const INTEGER = 0x02;
const BIT_STRING = 0x03;
const OCTET_STRING = 0x04;
const OBJECT_IDENTIFIER = 0x06;
const UTF8_STRING = 0x0c;
const UTC_TIME = 0x17;
const GENERALIZED_TIME = 0x18;
const SEQUENCE = 0x30;
const SET = 0x31;
const context = (number: number): number => 0x80 | number;
const contextOf = (number: number): number => 0xa0 | number;

const TRUE = element(BOOLEAN, Buffer.from([0xff]));
const VERSION_3 = element(INTEGER, Buffer.from([2]));
/** ecdsa-with-SHA256 (RFC 5758 3.2), which has no parameters. */
const ALGORITHM = sequence(identifier('1.2.840.10045.4.3.2'));
/** The first bit alone, so that seven of the octet are unused. */
const DIGITAL_SIGNATURE = element(BIT_STRING, Buffer.from([7, 0x80]));
const SERVER_AUTH = sequence(identifier('1.3.6.1.5.5.7.3.1'));

/**
 * A self-signed certificate (RFC 5280) for this machine's names: EC P-256, SHA-256, one year.
 *
 * @param now milliseconds since the epoch
 * @param host this machine's name beside `localhost`
 */
export function makeCredentials(now: number, host = hostname()): Credentials {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const name = nameOf('localhost');
  const toBeSigned = sequence(
    element(contextOf(0), VERSION_3),
    element(INTEGER, serialNumber()),
    ALGORITHM,
    name,
    sequence(timeOf(now - DAY), timeOf(now + LIFETIME)),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    element(contextOf(3), extensions(['localhost', host], LOOPBACK)),
  );
  const signature = sign('sha256', toBeSigned, { key: privateKey, dsaEncoding: 'der' });
  const certificate = sequence(toBeSigned, ALGORITHM, bits(signature));
  return {
    cert: pem(certificate),
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  };
}

function extensions(hosts: readonly string[], addresses: readonly Buffer[]): Buffer {
  const alternatives = [
    ...hosts.map((host) => element(context(2), Buffer.from(host))),
    ...addresses.map((address) => element(context(7), address)),
  ];
  return sequence(
    // Without its member, which is FALSE by default: no CA.
    critical('2.5.29.19', sequence()),
    critical('2.5.29.15', DIGITAL_SIGNATURE),
    extension('2.5.29.37', SERVER_AUTH),
    extension('2.5.29.17', sequence(...alternatives)),
  );
}

function extension(id: string, value: Buffer): Buffer {
  return sequence(identifier(id), element(OCTET_STRING, value));
}

function critical(id: string, value: Buffer): Buffer {
  return sequence(identifier(id), TRUE, element(OCTET_STRING, value));
}

/** A name that is a commonName and nothing else. */
function nameOf(commonName: string): Buffer {
  const text = element(UTF8_STRING, Buffer.from(commonName));
  return sequence(element(SET, sequence(identifier('2.5.4.3'), text)));
}

/** RFC 5280 4.1.2.5: two digits of the year before 2050, four from then on. */
function timeOf(time: number): Buffer {
  const date = new Date(time);
  const text = date.toISOString().replace(/[-:T]|\.\d+/g, '');
  return date.getUTCFullYear() < 2050
    ? element(UTC_TIME, Buffer.from(text.slice(2)))
    : element(GENERALIZED_TIME, Buffer.from(text));
}

/** RFC 5280 4.1.2.2: positive, and no longer than it has to be, as DER wants integers. */
function serialNumber(): Buffer {
  const serial = randomBytes(16);
  serial.writeUInt8((serial.readUInt8() & 0x7f) | 0x40);
  return serial;
}

/** Whole octets as a BIT STRING: none of the last one's bits is unused. */
function bits(octets: Buffer): Buffer {
  return element(BIT_STRING, Buffer.from([0]), octets);
}

/** X.690 8.19: the first two numbers in one, then seven bits an octet, the last one's top bit clear. */
function identifier(id: string): Buffer {
  const [first = 0, second = 0, ...rest] = id.split('.').map(Number);
  const octets = [40 * first + second, ...rest].flatMap((number) => {
    const digits = [number & 0x7f];
    for (let left = number >>> 7; left > 0; left >>>= 7) digits.unshift((left & 0x7f) | 0x80);
    return digits;
  });
  return element(OBJECT_IDENTIFIER, Buffer.from(octets));
}

function sequence(...elements: readonly Buffer[]): Buffer {
  return element(SEQUENCE, ...elements);
}

/** X.690 8.1: a tag, the length of the content, and the content. */
function element(tag: number, ...contents: readonly Buffer[]): Buffer {
  const content = Buffer.concat(contents);
  return Buffer.concat([Buffer.from([tag, ...lengthOf(content)]), content]);
}

/** X.690 8.1.3, 10.1: one octet below 128, else as few as it takes, after their number. */
function lengthOf({ length }: Buffer): number[] {
  if (length < 0x80) return [length];
  return length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
}

function pem(certificate: Buffer): string {
  const lines = certificate.toString('base64').match(/.{1,64}/g) ?? [];
  return ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----', ''].join('\n');
}
