import { createPrivateKey, randomUUID, X509Certificate, type KeyObject } from 'node:crypto';
import { constants } from 'node:fs';
import { lstat, mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { hostname, platform } from 'node:os';
import { join } from 'node:path';
import type { Credentials } from './tls-server.ts';
import { errorText } from './error-text.ts';

const DAY = 24 * 60 * 60 * 1000;
/** A self-signed certificate is replaced if it expires within this time, in milliseconds. */
const RENEW_BEFORE = 7 * DAY;
const LIFETIME = 365 * DAY;
/** Flags to read wirebin's own files, without following symbolic links or blocking on a pipe. */
const READ_FLAGS = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/** Reads a certificate and its key. @throws if a file is invalid or they do not match; the message names the file */
export async function readCredentials(
  certFile: string,
  keyFile: string,
  flag: number = constants.O_RDONLY,
): Promise<Credentials> {
  // Sequentially, so that if both files are invalid, the same one is always reported.
  const cert = await readPem(certFile, flag);
  const key = await readPem(keyFile, flag);
  const certificate = parseCertificate(cert, certFile);
  if (!certificate.checkPrivateKey(parsePrivateKey(key, keyFile))) {
    throw new Error(`the key in ${keyFile} does not match the certificate in ${certFile}`);
  }
  return { cert, key };
}

async function readPem(file: string, flag?: number): Promise<Buffer> {
  try {
    return await readFile(file, { flag });
  } catch (error) {
    const reason = errorText(error);
    throw new Error(`cannot read ${file}: ${reason}`, { cause: error });
  }
}

function parseCertificate(pem: Buffer, file: string): X509Certificate {
  try {
    // X509Certificate also accepts DER, which node:tls does not.
    if (pem.includes('-----BEGIN ')) return new X509Certificate(pem);
  } catch {
    // Reported below, like a missing certificate.
  }
  throw new Error(`${file} does not contain a PEM certificate`);
}

function parsePrivateKey(pem: Buffer, file: string): KeyObject {
  try {
    return createPrivateKey(pem);
  } catch (error) {
    throw new Error(`${file} does not contain an unencrypted PEM private key`, { cause: error });
  }
}

/** Whether any local user can read the file. False on Windows, where file modes mean nothing. */
export async function isWorldReadable(file: string): Promise<boolean> {
  const { mode } = await stat(file);
  return platform() !== 'win32' && (mode & 0o004) !== 0;
}

async function isAccessibleByOthers(file: string): Promise<boolean> {
  const { mode } = await lstat(file);
  return platform() !== 'win32' && (mode & 0o077) !== 0;
}

/** Reads a PEM CA bundle. @throws if the file cannot be read or contains no certificate */
export async function readCaBundle(file: string): Promise<Buffer> {
  const bundle = await readPem(file);
  // Node would silently accept a file without a certificate, and then reject every client.
  parseCertificate(bundle, file);
  return bundle;
}

/**
 * Returns a self-signed certificate for this machine's names. It is stored in the directory and reused
 * until a week before it expires. If the directory is not writable, it is kept in memory only.
 *
 * @param now milliseconds since the epoch
 */
export async function selfSignedCredentials(directory: string, now: number): Promise<Credentials> {
  const { certFile, keyFile } = filesIn(directory);
  const stored = await storedCredentials(directory, now);
  if (stored) {
    // If others can access the key, write a new file: the old one may have other hard links. Keep the
    // old one if it cannot be replaced.
    if (await isAccessibleByOthers(keyFile))
      await replaceFile(keyFile, stored.key, 0o600).catch(() => {});
    return stored;
  }
  const made = await makeCredentials(now);
  try {
    await mkdir(directory, { recursive: true, mode: 0o700 });
    await replaceFile(keyFile, made.key, 0o600);
    await replaceFile(certFile, made.cert, 0o644);
  } catch {
    // Ignored: with a read-only directory, the next start makes another certificate.
  }
  return made;
}

/** The stored certificate, if `selfSignedCredentials` would use it again; otherwise undefined. */
export async function storedCredentials(
  directory: string,
  now: number,
): Promise<Credentials | undefined> {
  const { certFile, keyFile } = filesIn(directory);
  const stored = await readCredentials(certFile, keyFile, READ_FLAGS).catch(() => undefined);
  return stored && isFresh(stored.cert, now) ? stored : undefined;
}

function filesIn(directory: string) {
  return { certFile: join(directory, 'wirebin.crt'), keyFile: join(directory, 'wirebin.key') };
}

/** Atomically replaces a file, without inheriting its mode or its open descriptors. */
async function replaceFile(file: string, content: string | Buffer, mode: number): Promise<void> {
  const temporary = `${file}.${randomUUID()}`;
  try {
    await writeFile(temporary, content, { mode, flag: 'wx' });
    await rename(temporary, file);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

function isFresh(pem: string | Buffer, now: number): boolean {
  return Date.parse(new X509Certificate(pem).validTo) - now > RENEW_BEFORE;
}

/** Makes a self-signed certificate: EC P-256, SHA-256, valid for one year. */
export async function makeCredentials(now: number): Promise<Credentials> {
  // Loaded on demand, because loading takes a few hundred milliseconds.
  const { generate } = await import('selfsigned');
  const made = await generate([{ name: 'commonName', value: 'localhost' }], {
    keyType: 'ec',
    curve: 'P-256',
    algorithm: 'sha256',
    notBeforeDate: new Date(now - DAY),
    notAfterDate: new Date(now + LIFETIME),
    extensions: [
      { name: 'basicConstraints', cA: false, critical: true },
      { name: 'keyUsage', digitalSignature: true, critical: true },
      { name: 'extKeyUsage', serverAuth: true },
      {
        name: 'subjectAltName',
        altNames: [
          { type: 2, value: 'localhost' },
          { type: 2, value: hostname() },
          { type: 7, ip: '127.0.0.1' },
          { type: 7, ip: '::1' },
        ],
      },
    ],
  });
  // The key already ends with a newline.
  return { cert: `${made.cert}\n`, key: made.private };
}
