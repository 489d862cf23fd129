import { X509Certificate } from 'node:crypto';
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import type { Credentials } from './tls-server.ts';

const DAY = 24 * 60 * 60 * 1000;
/** A made certificate is used again while it has this long to live, in milliseconds. */
const RENEW_BEFORE = 7 * DAY;
const LIFETIME = 365 * DAY;

/** @throws the file system's error, which names the file */
export async function readCredentials(certFile: string, keyFile: string): Promise<Credentials> {
  const [cert, key] = await Promise.all([readFile(certFile), readFile(keyFile)]);
  return { cert, key };
}

/** Certificates of authorities, in PEM. @throws where the file cannot be read or has none */
export async function readAuthorities(file: string): Promise<Buffer> {
  const authorities = await readFile(file);
  try {
    // Node takes a file without a certificate in silence, and then no client is ever valid.
    void new X509Certificate(authorities).serialNumber;
  } catch {
    throw new Error(`${file} holds no certificate in PEM`);
  }
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
  const kept = await readCredentials(certFile, keyFile).catch(() => undefined);
  if (kept && isFresh(kept.cert, now)) return kept;
  const made = await makeCredentials(now);
  try {
    await mkdir(directory, { recursive: true });
    await writeFile(keyFile, made.key, { mode: 0o600 });
    await chmod(keyFile, 0o600);
    await writeFile(certFile, made.cert);
  } catch {
    // A read-only directory costs only that the certificate is another one after a restart.
  }
  return made;
}

function isFresh(pem: string | Buffer, now: number): boolean {
  try {
    return Date.parse(new X509Certificate(pem).validTo) - now > RENEW_BEFORE;
  } catch {
    return false;
  }
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
