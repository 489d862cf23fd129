import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { connect, createServer, type TLSSocket } from 'node:tls';
import { expect, test } from 'vitest';
import { makeCredentials } from '../../src/net/certificates.ts';
import { ClientCertificateReader } from '../../src/net/client-certificates.ts';
import { issue, makeAuthority } from '../_certificates.ts';

test('the memory that Node leaks is limited: then only the leaf certificate is read', async () => {
  const authority = await makeAuthority('Test authority');
  const { cert, key } = await issue('client', { by: authority });
  const server = createServer({
    ...(await makeCredentials(Date.now())),
    requestCert: true,
    rejectUnauthorized: false,
  }).listen(0);
  const { port } = server.address() as AddressInfo;
  const reader = new ClientCertificateReader(1);

  let isLossy: boolean | undefined;
  const read = [];
  for (let time = 0; time < 2; time++) {
    const options = { port, rejectUnauthorized: false, cert: `${cert}\n${authority.cert}`, key };
    const client = connect(options);
    const [socket] = (await once(server, 'secureConnection')) as [TLSSocket];
    const { chain, complete } = reader.read(socket);
    read.push([chain.length, complete]);
    isLossy ??= socket.getPeerX509Certificate()?.issuerCertificate === undefined;
    client.destroy();
  }
  server.close();
  // Node 26 leaks nothing.
  expect(read).toEqual([[2, true], isLossy ? [1, false] : [2, true]]);
});
