import { createPrivateKey, randomUUID, X509Certificate, type KeyObject } from 'node:crypto';
import { constants } from 'node:fs';
import { lstat, mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { hostname, platform } from 'node:os';
import { join } from 'node:path';
import type { Credentials } from './tls-server.ts';

const DAY = 24 * 60 * 60 * 1000;
/** A made certificate is used again while it has this long to live, in milliseconds. */
const RENEW_BEFORE = 7 * DAY;
const LIFETIME = 365 * DAY;
/** How wirebin reads its own files: no symbolic links, and no wait for what is a pipe. */
const OWN_FILE_FLAGS =
  constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/** @throws where a file cannot be read or used, or the two do not belong together; it names the file */
export async function readCredentials(
  certFile: string,
  keyFile: string,
  flag: number = constants.O_RDONLY,
): Promise<Credentials> {
  const [cert, key] = await Promise.all([readPem(certFile, flag), readPem(keyFile, flag)]);
  const certificate = parseCertificate(cert, certFile);
  if (!certificate.checkPrivateKey(parsePrivateKey(key, keyFile))) {
    throw new Error(`the key in ${keyFile} is not that of the certificate in ${certFile}`);
  }
  return { cert, key };
}

async function readPem(file: string, flag?: number): Promise<Buffer> {
  try {
    return await readFile(file, { flag });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`${file} cannot be read: ${reason}`, { cause: error });
  }
}

function parseCertificate(pem: Buffer, file: string): X509Certificate {
  try {
    // X509Certificate takes DER as well, TLS does not.
    if (pem.includes('-----BEGIN ')) return new X509Certificate(pem);
  } catch {
    // As the line below says.
  }
  throw new Error(`${file} holds no certificate in PEM`);
}

function parsePrivateKey(pem: Buffer, file: string): KeyObject {
  try {
    return createPrivateKey(pem);
  } catch (error) {
    throw new Error(`${file} holds no private key in PEM without a passphrase`, { cause: error });
  }
}

/** Whether any user of this machine may read the file; Windows has other means than modes. */
export async function isWorldReadable(file: string): Promise<boolean> {
  const { mode } = await stat(file);
  return platform() !== 'win32' && (mode & 0o004) !== 0;
}

async function isAccessibleByOthers(file: string): Promise<boolean> {
  const { mode } = await lstat(file);
  return platform() !== 'win32' && (mode & 0o077) !== 0;
}

/** Certificates of authorities, in PEM. @throws where the file cannot be read or has none */
export async function readCaBundle(file: string): Promise<Buffer> {
  const authorities = await readPem(file);
  // Node takes a file without a certificate in silence, and then no client is ever valid.
  parseCertificate(authorities, file);
  return authorities;
}

/**
 * A self-signed certificate for this machine's names, kept in the directory while it has a week to
 * live. Where the directory cannot be written it lives in memory alone.
 *
 * @param now milliseconds since the epoch
 */
export async function selfSignedCredentials(directory: string, now: number): Promise<Credentials> {
  const certFile = join(directory, 'wirebin.crt');
  const keyFile = join(directory, 'wirebin.key');
  const kept = await readCredentials(certFile, keyFile, OWN_FILE_FLAGS).catch(() => undefined);
  if (kept && isFresh(kept.cert, now)) {
    // Ours alone, whatever has become of its mode since: in a new file, as the old one may have other
    // names. Where it cannot be replaced it stays.
    if (await isAccessibleByOthers(keyFile))
      await replaceFile(keyFile, kept.key, 0o600).catch(() => {});
    return kept;
  }
  const made = await makeCredentials(now);
  try {
    await mkdir(directory, { recursive: true, mode: 0o700 });
    await replaceFile(keyFile, made.key, 0o600);
    await replaceFile(certFile, made.cert, 0o644);
  } catch {
    // A read-only directory costs only that the certificate is another one after a restart.
  }
  return made;
}

/** Puts a new file in the place of an old one, whose mode and readers it does not inherit. */
async function replaceFile(file: string, content: string | Buffer, mode: number): Promise<void> {
  const draft = `${file}.${randomUUID()}`;
  try {
    await writeFile(draft, content, { mode, flag: 'wx' });
    await rename(draft, file);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}

function isFresh(pem: string | Buffer, now: number): boolean {
  return Date.parse(new X509Certificate(pem).validTo) - now > RENEW_BEFORE;
}

/** EC P-256, SHA-256, one year. */
export async function makeCredentials(now: number): Promise<Credentials> {
  // Loaded only when needed: it costs a start some hundred milliseconds.
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
  return { cert: made.cert, key: made.private };
}
