import { createServer } from 'node:tls';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { Target } from '../../src/check/target.ts';
import { issue, makeAuthority } from '../_certificates.ts';

const authority = await makeAuthority('check');

/** A target whose URL has an address, and whose certificate is for one. */
async function targetWithCertificateFor(address: string): Promise<Target> {
  const { cert, key } = await issue('target', { by: authority, address });
  const server = createServer({ cert, key }).listen(0, '127.0.0.1');
  server.on('tlsClientError', () => undefined);
  await new Promise((resolve) => server.once('listening', resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  return new Target({
    url: new URL(`https://127.0.0.1:${port}`),
    insecure: false,
    ca: authority.cert,
  });
}

test('a certificate is verified against the address of the URL', async () => {
  const target = await targetWithCertificateFor('127.0.0.1');
  const { stream } = await target.connect(5000);
  stream.destroy();
  const other = await targetWithCertificateFor('127.0.0.2');
  await expect(other.connect(5000)).rejects.toThrow('IP: 127.0.0.1 is not in the cert');
});
