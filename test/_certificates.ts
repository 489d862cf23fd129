import { X509Certificate } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import https from 'node:https';
import { join } from 'node:path';
import type { SecureContextOptions } from 'node:tls';
import { generate } from 'selfsigned';
import { makeCredentials } from '../src/net/certificates.ts';

export interface Pair {
  readonly cert: string;
  readonly key: string;
}

const DAY = 24 * 60 * 60 * 1000;
const KEY = { keyType: 'ec', curve: 'P-256', algorithm: 'sha256' } as const;

/** A certificate and its key, in files of a folder; there are none before `renew`. */
export class CertificateFiles {
  readonly cert: string;
  readonly key: string;
  readonly settings: readonly string[];

  constructor(folder: string, name = 'own') {
    this.cert = join(folder, `${name}.crt`);
    this.key = join(folder, `${name}.key`);
    this.settings = [`--tls-cert=${this.cert}`, `--tls-key=${this.key}`];
  }

  async renew(): Promise<void> {
    const { cert, key } = await makeCredentials(Date.now());
    await writeFile(this.cert, cert);
    await writeFile(this.key, key, { mode: 0o600 });
  }

  async spoil(): Promise<void> {
    await writeFile(this.cert, 'broken');
  }
}

/** @param by the authority above it; without one it signs itself */
export async function makeAuthority(commonName: string, by?: Pair): Promise<Pair> {
  const made = await generate([{ name: 'commonName', value: commonName }], {
    ...KEY,
    ...(by && { ca: by }),
    extensions: [
      { name: 'basicConstraints', cA: true, critical: true },
      { name: 'keyUsage', keyCertSign: true, critical: true },
    ],
  });
  return { cert: made.cert, key: made.private };
}

export interface Issue {
  /** Without one the certificate signs itself. */
  readonly by?: Pair;
  /** Ran out yesterday. */
  readonly expired?: boolean;
  /** Has one of its extensions a second time, against RFC 5280 4.2. */
  readonly doubled?: boolean;
  /** Of any name, for a DNS name. */
  readonly alternative?: string;
  /** Of an IP address. */
  readonly address?: string;
  /** The DNS names. Default: client.example */
  readonly host?: string | readonly string[];
}

export async function issue(
  commonName: string,
  { by, expired = false, doubled = false, alternative, address, host = 'client.example' }: Issue,
): Promise<Pair> {
  const made = await generate([{ name: 'commonName', value: commonName }], {
    ...KEY,
    notBeforeDate: new Date(Date.now() - 2 * DAY),
    notAfterDate: new Date(Date.now() + (expired ? -DAY : DAY)),
    ...(by && { ca: by }),
    extensions: [
      { name: 'basicConstraints', cA: false },
      ...(doubled ? [{ name: 'basicConstraints', cA: false } as const] : []),
      {
        name: 'subjectAltName',
        altNames: [
          ...[host].flat().map((value) => ({ type: 2, value }) as const),
          ...(alternative === undefined ? [] : [{ type: 6, value: alternative } as const]),
          ...(address === undefined ? [] : [{ type: 7, ip: address } as const]),
        ],
      },
    ],
  });
  return { cert: made.cert, key: made.private };
}

/** The same with a content of basicConstraints that is none (RFC 5280 4.2.1.9). */
export function malformed({ cert, key }: Pair): Pair {
  const der = new X509Certificate(cert).raw;
  const sound = Buffer.from('0603551d1304023000', 'hex');
  const at = der.indexOf(sound);
  if (at === -1) throw new Error('the certificate has no basicConstraints');
  der[at + sound.length - 2] = 0x04;
  const lines = der.toString('base64').match(/.{1,64}/g) ?? [];
  const pem = ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----', ''];
  return { cert: pem.join('\n'), key };
}

/** GET on a connection of its own, over HTTP/1.1. @throws the handshake's error */
export function getOverTls(
  port: number,
  target: string,
  options: SecureContextOptions & { session?: Buffer; servername?: string } = {},
): Promise<Record<string, unknown>> {
  return new Promise((resolve, reject) => {
    https
      .get(
        {
          host: '127.0.0.1',
          port,
          path: target,
          agent: false,
          rejectUnauthorized: false,
          ...options,
        },
        (incoming) => {
          const chunks: Buffer[] = [];
          incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
          incoming.on('error', reject);
          incoming.on('end', () => {
            resolve(JSON.parse(Buffer.concat(chunks).toString()) as Record<string, unknown>);
          });
        },
      )
      .on('error', reject);
  });
}
