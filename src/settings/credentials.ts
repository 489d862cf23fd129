import { fileURLToPath } from 'node:url';
import type { Settings } from './settings.ts';
import type { Log } from '../telemetry/log.ts';
import { readCaBundle, readCredentials, selfSignedCredentials } from '../net/certificates.ts';
import { openKeyLog, type KeyLog } from '../net/key-log.ts';
import type { Credentials } from '../net/tls-server.ts';

const CERTIFICATES = fileURLToPath(new URL('../../certs', import.meta.url));

/**
 * The certificate that the settings name, else one that wirebin makes itself.
 *
 * @param selfSigned makes it; by default it is kept in certs/
 * @throws where a file cannot be read or used; the message is for the user and names the file
 */
export async function credentialsOf(
  { tlsCert, tlsKey, tlsCa }: Settings,
  selfSigned: (now: number) => Promise<Credentials> = (now) =>
    selfSignedCredentials(CERTIFICATES, now),
): Promise<Credentials> {
  const own =
    tlsCert !== undefined && tlsKey !== undefined
      ? await readCredentials(tlsCert, tlsKey)
      : await selfSigned(Date.now());
  return tlsCa === undefined ? own : { ...own, ca: await readCaBundle(tlsCa) };
}

/**
 * The file for TLS secrets that the settings name, with a warning in the log.
 *
 * @throws where it cannot be opened; the message is for the user
 */
export async function keyLogOf(
  { tlsKeylog: file }: Settings,
  log: Log,
): Promise<KeyLog | undefined> {
  if (file === undefined) return undefined;
  const keyLog = await openKeyLog(file, (error) =>
    log.error({ detail: error.message }, 'the TLS key log takes no more'),
  ).catch((error: unknown) => {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`the TLS key log cannot be opened: ${reason}`);
  });
  return keyLog;
}
