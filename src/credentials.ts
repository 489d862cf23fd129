import { fileURLToPath } from 'node:url';
import type { Settings } from './config.ts';
import { readAuthorities, readCredentials, selfSignedCredentials } from './wire/certificates.ts';
import type { Credentials } from './wire/tls-server.ts';

const CERTIFICATES = fileURLToPath(new URL('../certs', import.meta.url));

/**
 * The certificate that the settings name, else one that wirebin makes itself.
 *
 * @throws where a file cannot be read or used; the message is for the user and names the file
 */
export async function credentialsOf({ tlsCert, tlsKey, tlsCa }: Settings): Promise<Credentials> {
  const own =
    tlsCert !== undefined && tlsKey !== undefined
      ? await readCredentials(tlsCert, tlsKey)
      : await selfSignedCredentials(CERTIFICATES, Date.now());
  return tlsCa === undefined ? own : { ...own, ca: await readAuthorities(tlsCa) };
}
