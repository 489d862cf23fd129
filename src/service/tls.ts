import { fileURLToPath } from 'node:url';
import type { Settings } from '../settings/settings.ts';
import type { Logger } from '../telemetry/logger.ts';
import {
  readCaBundle,
  readCredentials,
  selfSignedCredentials,
  storedCredentials,
} from '../net/certificates.ts';
import { openKeyLog, type KeyLog } from '../net/key-log.ts';
import { ALPN_PROTOCOLS, type Credentials } from '../net/tls-server.ts';
import { errorText } from '../net/error-text.ts';

/** Default of --certs. */
const CERTIFICATES = fileURLToPath(new URL('../../certs', import.meta.url));

/**
 * Reads the configured certificate, or creates a self-signed one.
 *
 * @param selfSigned creates the self-signed certificate; by default it is stored as --certs says
 * @throws if a file cannot be read or used; the message is for the user and names the file
 */
export async function loadCredentials(
  { tlsCert, tlsKey, tlsCa, certs = CERTIFICATES }: Settings,
  selfSigned: (now: number) => Promise<Credentials> = (now) => selfSignedCredentials(certs, now),
): Promise<Credentials> {
  const credentials =
    tlsCert !== undefined && tlsKey !== undefined
      ? await configuredCredentials(tlsCert, tlsKey)
      : await selfSigned(Date.now());
  return tlsCa === undefined ? credentials : { ...credentials, ca: await readCaBundle(tlsCa) };
}

/** Reads the certificates of --tls-cert, each with its key of --tls-key. @throws as `readCredentials` */
async function configuredCredentials(certs: string, keys: string): Promise<Credentials> {
  const keyFiles = keys.split(',');
  const [first, ...others] = certs.split(',');
  const credentials = await readCredentials(first ?? '', keyFiles[0] ?? '');
  const further: Credentials[] = [];
  for (const [at, certFile] of others.entries()) {
    // One after the other, so that of two errors always the same one is reported.
    // oxlint-disable-next-line no-await-in-loop
    further.push(await readCredentials(certFile, keyFiles[at + 1] ?? ''));
  }
  return { ...credentials, ...(further.length > 0 && { others: further }) };
}

/** A warning if the self-signed certificate could not be stored, such as with a read-only root. */
export async function storageWarnings(settings: Settings): Promise<string[]> {
  const { tlsCert, transports, certs = CERTIFICATES } = settings;
  const usesTls = transports.includes('h2') || transports.includes('https/1.1');
  if (tlsCert !== undefined || !usesTls) return [];
  if (await storedCredentials(certs, Date.now())) return [];
  return [
    `the self-signed certificate is kept in memory, and the next start makes another one: ${certs} cannot be written`,
  ];
}

/**
 * Opens the configured file for TLS secrets.
 *
 * @throws if it cannot be opened; the message is for the user
 */
export async function openConfiguredKeyLog(
  { tlsKeylog: file }: Settings,
  log: Logger,
): Promise<KeyLog | undefined> {
  if (file === undefined) return undefined;
  return openKeyLog(file, (error) =>
    log.error({ detail: error.message }, 'cannot write to the TLS key log'),
  ).catch((error: unknown) => {
    const reason = errorText(error);
    throw new Error(`the TLS key log cannot be opened: ${reason}`);
  });
}

/** Converts settings to options of the TLS server. */
export function tlsSettingsOf({ clientCert, tlsMin, tlsMax, tlsCiphers, transports }: Settings) {
  const alpnProtocols = ALPN_PROTOCOLS.filter((protocol) =>
    transports.includes(protocol === 'h2' ? 'h2' : 'https/1.1'),
  );
  return { clientCert, minVersion: tlsMin, maxVersion: tlsMax, ciphers: tlsCiphers, alpnProtocols };
}
