import { fileURLToPath } from 'node:url';
import type { Settings } from './config.ts';
import type { Log } from './kit/log.ts';
import {
  isOpenToAll,
  readAuthorities,
  readCredentials,
  selfSignedCredentials,
} from './wire/certificates.ts';
import type { Credentials } from './wire/tls-server.ts';

const CERTIFICATES = fileURLToPath(new URL('../certs', import.meta.url));

/**
 * The certificate that the settings name, else one that wirebin makes itself.
 *
 * @throws where a file cannot be read or used; the message is for the user and names the file
 */
export async function credentialsOf(
  { tlsCert, tlsKey, tlsCa }: Settings,
  log: Log,
): Promise<Credentials> {
  const given = tlsCert !== undefined && tlsKey !== undefined;
  const own = given
    ? await readCredentials(tlsCert, tlsKey)
    : await selfSignedCredentials(CERTIFICATES, Date.now());
  // No refusal: what mounts secrets in containers often gives every file this mode.
  if (given && (await isOpenToAll(tlsKey))) {
    log.warn({ file: tlsKey }, 'the private key can be read by every user of this machine');
  }
  return tlsCa === undefined ? own : { ...own, ca: await readAuthorities(tlsCa) };
}
