import { start } from '../processes.ts';
import type { Scenario } from '../scenarios.ts';
import { serverOf } from '../servers.ts';
import { freePort, listening, type Peer } from './peer.ts';

/** It has no /healthz; this decodes to the same two bytes. */
const pathOf = ({ path }: Scenario): string => (path === '/healthz' ? '/base64/T0s=' : path);

const OPTIONS = [
  '-host',
  '127.0.0.1',
  '-log-level',
  'OFF',
  '-max-body-size',
  String(16 * 1024 ** 2),
];

/** It serves either in clear or over TLS, so it is started twice. */
export const goHttpbin: Peer = {
  name: 'go-httpbin',
  program: 'go-httpbin',
  needs: 'go install github.com/mccutchen/go-httpbin/v2/cmd/go-httpbin@latest',
  async start(program, { certFile, keyFile }) {
    const [clear, secure] = [await freePort(), await freePort()];
    const clearChild = start(program, [...OPTIONS, '-port', String(clear)]);
    const tls = ['-https-cert-file', certFile, '-https-key-file', keyFile];
    const secureChild = start(program, [...OPTIONS, ...tls, '-port', String(secure)]);
    await Promise.all([listening(clear), listening(secure)]);
    const name = 'go-httpbin';
    return [
      serverOf({ name, child: clearChild, ports: { 'http/1.1': clear }, pathOf }),
      serverOf({ name, child: secureChild, ports: { 'https/1.1': secure, h2: secure }, pathOf }),
    ];
  },
};
