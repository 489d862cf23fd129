import { createPrivateKey, X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { connect, createServer } from 'node:tls';
import { expect, onTestFinished, test } from 'vitest';
import { makeCredentials } from '../../src/wire/self-signed.ts';

const NOW = Date.parse('2026-06-01T00:00:00Z');

function made(...args: Parameters<typeof makeCredentials>): X509Certificate {
  const { cert, key } = makeCredentials(...args);
  const certificate = new X509Certificate(cert);
  expect(certificate.checkPrivateKey(createPrivateKey(key))).toBe(true);
  expect(certificate.verify(certificate.publicKey)).toBe(true);
  return certificate;
}

test('has the fields of a server that is no authority', () => {
  const certificate = made(NOW, 'machine');
  expect(certificate.toLegacyObject()).toMatchObject({
    ca: false,
    subject: { CN: 'localhost' },
    issuer: { CN: 'localhost' },
    subjectaltname: 'DNS:localhost, DNS:machine, IP Address:127.0.0.1, IP Address:0:0:0:0:0:0:0:1',
    asn1Curve: 'prime256v1',
    valid_from: 'May 31 00:00:00 2026 GMT',
    valid_to: 'Jun  1 00:00:00 2027 GMT',
    ext_key_usage: ['1.3.6.1.5.5.7.3.1'],
  });
});

test('has a serial number of its own, which is positive', () => {
  const serials = new Set(Array.from({ length: 64 }, () => made(NOW).serialNumber));
  expect(serials.size).toBe(64);
  expect([...serials].join(' ')).toMatch(/^(?:[4-7][\dA-F]{31}(?: |$))+$/);
});

// In DER one octet has lengths below 128, two those below 256, three what is longer.
test.each([1, 60, 120, 127, 128, 200, 253, 300])('for a name of %d characters', (length) => {
  const name = 'x'.repeat(length);
  expect(made(NOW, name).subjectAltName).toContain(`DNS:${name}, IP`);
});

// RFC 5280 4.1.2.5: the year has four digits from 2050 on.
test.each([2049, 2050])('made in %d', (year) => {
  const certificate = made(Date.parse(`${year}-12-31T23:59:58Z`));
  expect(certificate.validFrom).toBe(`Dec 30 23:59:58 ${year} GMT`);
  expect(certificate.validTo).toBe(`Dec 31 23:59:58 ${year + 1} GMT`);
});

test('a client that trusts it takes it', async () => {
  const { cert, key } = makeCredentials(Date.now());
  const server = createServer({ cert, key }, (socket) => socket.end()).listen(0, '127.0.0.1');
  onTestFinished(() => {
    server.close();
  });
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  for (const servername of ['localhost', undefined]) {
    const client = connect({
      port,
      host: '127.0.0.1',
      ca: cert,
      ...(servername && { servername }),
    });
    await once(client, 'secureConnect');
    expect(client.authorized).toBe(true);
    client.destroy();
  }
});
