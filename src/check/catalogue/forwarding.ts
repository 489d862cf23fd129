import { isIP } from 'node:net';
import { networkInterfaces } from 'node:os';
import { nodeAddress, parseForwarded } from '../../http/forwarded.ts';
import { canonicalAddress, unmapAddress } from '../../http/ip-address.ts';
import { trimOws } from '../../http/syntax.ts';
import { topic, type TopicCheck } from '../check.ts';
import { differs, fail, pass, type Verdict } from '../verdict.ts';
import { valuesOf, type FieldLine } from '../message.ts';
import { removing } from '../remedy.ts';
import type { Echo, Session } from '../session.ts';
import { LOOPBACK } from '../target.ts';
import { fieldIsRemoved, received } from './received.ts';

const FORWARDING = {
  section: 'RFC 7239 8.1',
  level: 'quality',
  risk: 'security',
  needs: ['gateway'],
} as const;

const SPOOFED = '203.0.113.66';

const FIELDS = ['forwarded', 'x-forwarded-for', 'x-real-ip'] as const;

/** The clients that a field names: their addresses without ports, or other text as it is. */
function clientsIn(fields: readonly FieldLine[], name: (typeof FIELDS)[number]): string[] {
  return nodesIn(valuesOf(fields, name).join(','), name).map((node) =>
    unmapAddress(nodeAddress(node) ?? canonicalAddress(node) ?? node),
  );
}

function nodesIn(value: string, name: (typeof FIELDS)[number]): string[] {
  if (name === 'forwarded')
    return (parseForwarded(value) ?? []).map((element) => element.get('for') ?? '');
  // X-Real-IP is no list: which of two an origin takes is unknown.
  return name === 'x-real-ip' ? [value] : value.split(',').map((member) => member.trim());
}

/** Those that follow what the client itself has sent. */
const added = (clients: readonly string[]): readonly string[] =>
  clients.slice(clients.lastIndexOf(SPOOFED) + 1);

/**
 * Compares the last of a list, which is the client for an origin that trusts one proxy, with the address of this
 * client. Further proxies append their clients, and NAT changes addresses, on one host too: so it is no finding. For a
 * client on loopback, Envoy names another address of the machine.
 */
function compareWithClient(
  clients: readonly string[],
  found: string,
  echo: Echo,
  session: Session,
): Verdict {
  const hasProxyHeader = session.target.proxyProtocol !== undefined;
  const client = hasProxyHeader ? LOOPBACK.source : unmapAddress(echo.client);
  const last = clients.at(-1);
  return last === client || (isLoopback(client) && isOwnAddress(last))
    ? pass(found)
    : differs(
        `${found}: the last is ${last ?? 'none'}, and the client has ${client}, unless NAT or another proxy is on the way`,
        echo.transfer,
      );
}

function isLoopback(address: string): boolean {
  return address === '::1' || address.startsWith('127.');
}

function isOwnAddress(address: string | undefined): boolean {
  const interfaces = Object.values(networkInterfaces()).flatMap((addresses = []) => addresses);
  return interfaces.some((own) => own.address === address);
}

/** A fact: whether a field that many origins trust is forwarded as the client sent it. */
function spoofIsForwarded(id: `forwarding/${string}`, name: string, spoofed: string): TopicCheck {
  return received({
    id,
    rule: `Whether an ${name} field sent by the client is replaced or removed.`,
    level: 'info',
    request: { fields: [[name, spoofed]] },
    judge: ({ fields }, { transfer }) => {
      const value = valuesOf(fields, name).join(', ');
      return value === spoofed
        ? differs('forwarded unchanged', transfer)
        : pass(value || 'removed');
    },
  });
}

/** Found if no field has the address of the client. */
export const NO_CLIENT_ADDRESS = 'no field contains it';

/** Fields that describe the client to the origin (RFC 7239, RFC 9440). */
export const forwardingChecks = topic(FORWARDING, [
  received({
    id: 'forwarding/client-address',
    section: 'RFC 7239 5.2',
    rule: 'Whether the origin receives the address of the client, in Forwarded, X-Forwarded-For or X-Real-IP.',
    level: 'info',
    risk: 'interop',
    judge: ({ fields }, echo, session) => {
      const names = FIELDS.filter((name) => valuesOf(fields, name).length > 0);
      const [found] = names;
      if (found === undefined) return differs(NO_CLIENT_ADDRESS, echo.transfer);
      const verdicts = names.map((name) => {
        const words = `${name}: ${valuesOf(fields, name).join(', ')}`;
        return compareWithClient(clientsIn(fields, name), words, echo, session);
      });
      return verdicts.find(({ outcome }) => outcome !== 'pass') ?? pass(found);
    },
  }),
  received({
    id: 'forwarding/spoofed-for',
    rule: 'An X-Forwarded-For field sent by the client is removed, or the address of the client is appended to it.',
    request: { fields: [['X-Forwarded-For', SPOOFED]] },
    judge: ({ fields }, echo, session) => {
      const value = valuesOf(fields, 'x-forwarded-for').join(', ');
      if (value === '') return pass('removed');
      const members = clientsIn(fields, 'x-forwarded-for');
      const last = members.at(-1);
      return last === SPOOFED || last === 'unknown'
        ? fail('the address of the client as the last member', value, echo.transfer)
        : compareWithClient(members, value, echo, session);
    },
  }),
  received({
    id: 'forwarding/spoofed-forwarded',
    remedy: {
      advice: 'Remove Forwarded that clients send, or append an element to it.',
      directives: {
        ...removing('Forwarded', 'nginx', 'haproxy', 'apache', 'caddy', 'varnish', 'lighttpd'),
        nghttpx: [['', 'strip-incoming-forwarded=yes']],
      },
    },
    rule: 'A Forwarded field sent by the client is removed, or the target appends its own element.',
    request: { fields: [['Forwarded', `for=${SPOOFED};proto=https`]] },
    judge: ({ fields }, echo, session) => {
      const value = valuesOf(fields, 'forwarded').join(', ');
      if (value.endsWith(`for=${SPOOFED};proto=https`))
        return fail('removed, or followed by another element', value, echo.transfer);
      // A target may hide addresses, or send none (RFC 7239 6.3, 5.2).
      const addresses = added(clientsIn(fields, 'forwarded')).filter((each) => isIP(each) !== 0);
      return addresses.length === 0
        ? pass(value || 'removed')
        : compareWithClient(addresses, value, echo, session);
    },
  }),
  received({
    id: 'forwarding/spoofed-proto',
    remedy: {
      advice: 'Set X-Forwarded-Proto in each request, whatever the client sends.',
      directives: {
        haproxy: [
          ['frontend', 'http-request set-header X-Forwarded-Proto %[ssl_fc,iif(https,http)]'],
        ],
        apache: [['', 'RequestHeader set X-Forwarded-Proto expr=%{REQUEST_SCHEME}']],
        varnish: [['vcl_recv', 'set req.http.X-Forwarded-Proto = "https";']],
      },
    },
    rule: 'An X-Forwarded-Proto field sent by the client is replaced or removed.',
    request: (session) => ({
      fields: [['X-Forwarded-Proto', session.target.isSecure ? 'http' : 'https']],
    }),
    judge: ({ fields }, { transfer }, { target }) => {
      const value = valuesOf(fields, 'x-forwarded-proto').join(', ');
      const spoofed = target.isSecure ? 'http' : 'https';
      // Many origins trust the first element of the list.
      const [first = ''] = value.toLowerCase().split(',', 1);
      return trimOws(first) === spoofed
        ? fail('the scheme that the client used', value, transfer)
        : pass(value || 'removed');
    },
  }),
  spoofIsForwarded('forwarding/spoofed-host', 'X-Forwarded-Host', 'other.example'),
  spoofIsForwarded('forwarding/spoofed-real-ip', 'X-Real-IP', SPOOFED),
  spoofIsForwarded('forwarding/original-url', 'X-Original-URL', '/check'),
  spoofIsForwarded('forwarding/rewrite-url', 'X-Rewrite-URL', '/check'),
  // CGI and its successors take underscores for hyphens, so these are read as X-Forwarded-For and Content-Length.
  spoofIsForwarded('forwarding/alias-for', 'X_Forwarded_For', SPOOFED),
  spoofIsForwarded('forwarding/alias-length', 'Content_Length', '7'),
  fieldIsRemoved({
    id: 'forwarding/spoofed-certificate',
    section: 'RFC 9440 2.4',
    rule: 'Whether Client-Cert and Client-Cert-Chain sent by a client are removed.',
    level: 'info',
    names: ['Client-Cert', 'Client-Cert-Chain'],
    request: {
      fields: [
        ['Client-Cert', ':Zm9vYmFy:'],
        ['Client-Cert-Chain', ':Zm9vYmFy:'],
      ],
    },
  }),
]);
