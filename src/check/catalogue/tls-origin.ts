import { topic } from '../check.ts';
import { differs, fail, pass } from '../verdict.ts';
import { hostsOf } from '../origin.ts';
import type { Echo } from '../session.ts';
import { received, withoutEcho } from './received.ts';

const ORIGIN = {
  section: 'RFC 9846',
  level: 'info',
  risk: 'security',
  needs: ['gateway', 'tls-origin'],
  fronts: ['http/1.1'],
} as const;

/** TLS between target and origin, as the origin sees it. */
export const tlsOriginChecks = topic(ORIGIN, [
  {
    id: 'tls/origin',
    rule: 'Whether the connection to the origin uses TLS, and with which parameters.',
    needs: ['tls', 'gateway'],
    async run(session) {
      const echo = await session.echo();
      const tls = echo.received?.tls;
      if (!tls) return differs('cleartext to the origin');
      const words = (['version', 'cipher_suite', 'alpn', 'sni'] as const).map(
        (name) => `${name} ${tls[name]}`,
      );
      return pass(words.join(', '));
    },
  },
  received({
    id: 'tls/origin-version',
    section: 'RFC 9325 3.1.1',
    rule: 'TLS 1.3 is used for an origin that supports it; TLS 1.2 is allowed.',
    level: 'quality',
    judge: ({ tls }, { transfer }) => {
      const version = tls?.version ?? '';
      if (version === 'TLSv1.3') return pass(version);
      // Older versions must not be used (RFC 8996), even if the origin accepts them.
      return version === 'TLSv1.2'
        ? differs(version, transfer)
        : fail('TLSv1.3 or TLSv1.2', version, transfer);
    },
  }),
  received({
    id: 'tls/origin-alpn',
    section: 'RFC 7301 3.1',
    rule: 'Whether the target offers the protocol that it uses to the origin with ALPN.',
    risk: 'interop',
    judge: ({ tls }, { transfer }) => (tls?.alpn ? pass(tls.alpn) : differs('no ALPN', transfer)),
  }),
  received({
    id: 'tls/origin-sni',
    section: 'RFC 6066 3',
    rule: 'The target sends a server name to the origin: the host of the request, or a configured one.',
    level: 'quality',
    risk: 'interop',
    judge: (request, { transfer }) => {
      const { sni = null } = request.tls ?? {};
      if (sni === null) return differs('no server name', transfer);
      const [host = ''] = hostsOf(request);
      return sni === host.replace(/:\d+$/, '')
        ? pass(sni)
        : differs(`${sni}, and the host ${host}`, transfer);
    },
  }),
  {
    id: 'tls/origin-resumption',
    section: 'RFC 9846 2.2',
    rule: 'Connections to the origin are reused, or their TLS sessions are resumed.',
    level: 'quality',
    risk: 'latency',
    async run(session) {
      const echoes: Echo[] = [];
      for (let number = 0; number < 4; number++) echoes.push(await session.echo());
      const requests = echoes.flatMap((echo) => echo.received ?? []);
      const failed = echoes.find((echo) => !echo.received);
      if (failed)
        return fail('the request reaches the origin', withoutEcho(failed), failed.transfer);
      const connections = new Set(requests.map(({ connection }) => connection)).size;
      if (connections < requests.length || requests.some(({ requestNumber }) => requestNumber > 1))
        return pass(`${connections} connections for ${requests.length} requests`);
      return requests.some(({ tls }) => tls?.session_reused)
        ? pass('resumed')
        : differs('a full handshake for each request', ...echoes.map(({ transfer }) => transfer));
    },
  },
  received({
    id: 'tls/origin-client-certificate',
    section: 'RFC 9846 4.5.1',
    rule: 'Whether the target presents a client certificate to an origin that requests one.',
    judge: ({ tls }, { transfer }) => {
      const [certificate] = tls?.client_certs ?? [];
      return certificate ? pass(certificate.subject) : differs('no certificate', transfer);
    },
  }),
]);
