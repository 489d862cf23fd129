import { writeFile } from 'node:fs/promises';
import https from 'node:https';
import { join } from 'node:path';
import type { SecureContextOptions } from 'node:tls';
import { generate } from 'selfsigned';
import { makeCredentials } from '../src/wire/certificates.ts';

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
  /** Of any name, for a DNS name. */
  readonly alternative?: string;
}

export async function issue(
  commonName: string,
  { by, expired = false, alternative }: Issue,
): Promise<Pair> {
  const made = await generate([{ name: 'commonName', value: commonName }], {
    ...KEY,
    notBeforeDate: new Date(Date.now() - 2 * DAY),
    notAfterDate: new Date(Date.now() + (expired ? -DAY : DAY)),
    ...(by && { ca: by }),
    extensions: [
      { name: 'basicConstraints', cA: false },
      {
        name: 'subjectAltName',
        altNames: [
          { type: 2, value: 'client.example' },
          ...(alternative === undefined ? [] : [{ type: 6, value: alternative } as const]),
        ],
      },
    ],
  });
  return { cert: made.cert, key: made.private };
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
