import { valuesOf } from '../../../src/check/message.ts';
import { changesRequest, differs, without, type WrongProxy } from '../_wrong.ts';
import type { ClientRequest } from '../_gateway-messages.ts';

const TURNS: Readonly<Record<string, WrongProxy['turns']>> = {
  'x-forwarded-for': { 'forwarding/spoofed-for': 'fail' },
  forwarded: { 'forwarding/spoofed-forwarded': 'fail' },
  'x-forwarded-proto': { 'forwarding/spoofed-proto': 'fail' },
  'x-forwarded-host': { 'forwarding/spoofed-host': 'differs' },
  'x-real-ip': { 'forwarding/spoofed-real-ip': 'differs' },
};

/** What it sends as a field of which the client has sent one, too. */
const sending = (
  name: string,
  field: string,
  value: (sent: string, client: ClientRequest) => string,
  turns = TURNS[field] ?? {},
): WrongProxy =>
  changesRequest(name, turns, (request, client) => {
    const [sent] = valuesOf(client.fields, field);
    if (sent === undefined) return;
    request.fields = [...without(request.fields, field), [field, value(sent, client)]];
  });

export const forwarding: readonly WrongProxy[] = [
  sending(
    'the address precedes that of the client',
    'x-forwarded-for',
    (sent, { address }) => `${address}, ${sent}`,
  ),
  sending(
    'the address that is sent is appended with the port',
    'x-forwarded-for',
    (sent, { port }) => `${sent}, ${sent}:${port}`,
  ),
  sending('unknown is appended to an address', 'x-forwarded-for', (sent) => `${sent}, unknown`),
  sending(
    'the element precedes that of the client',
    'forwarded',
    (sent, { address }) => `for=${address}, ${sent}`,
  ),
  sending(
    'the element of the client gets a parameter',
    'forwarded',
    (sent) => `${sent};by=_gateway`,
  ),
  sending(
    'Forwarded keeps proto of the client',
    'forwarded',
    (_sent, { address }) => `for=${address};proto=https`,
  ),
  sending(
    'the scheme is appended to that of the client',
    'x-forwarded-proto',
    (sent) => `${sent}, http`,
  ),
  sending(
    'the scheme is sent before that of the client',
    'x-forwarded-proto',
    (sent) => `http,${sent}`,
  ),
  sending('the scheme of the client is in upper case', 'x-forwarded-proto', (sent) =>
    sent.toUpperCase(),
  ),
  sending(
    'X-Forwarded-Host is joined to that of the client',
    'x-forwarded-host',
    (sent, { authority }) => `${sent}, ${authority}`,
  ),
  sending('X-Real-IP is that of the client with its port', 'x-real-ip', (sent) => `${sent}:80`),
  changesRequest(
    'only Client-Cert is removed',
    differs('forwarding/spoofed-certificate'),
    (request, client) => {
      const [chain] = valuesOf(client.fields, 'client-cert-chain');
      if (chain !== undefined) request.fields.push(['Client-Cert-Chain', chain]);
    },
  ),
  sending(
    'the address is replaced by a constant one',
    'x-forwarded-for',
    () => '10.0.0.1',
    differs('forwarding/spoofed-for'),
  ),
  sending(
    'a constant address is appended',
    'x-forwarded-for',
    (sent) => `${sent}, 10.0.0.1`,
    differs('forwarding/spoofed-for'),
  ),
  sending(
    'the element is replaced by a constant one',
    'forwarded',
    () => 'for=10.0.0.1',
    differs('forwarding/spoofed-forwarded'),
  ),
  sending(
    'an element follows that of the gateway',
    'forwarded',
    (_sent, { address }) => `for=${address}, for=10.0.0.1`,
    differs('forwarding/spoofed-forwarded'),
  ),
  changesRequest(
    'X-Real-IP is sent twice',
    differs('forwarding/client-address'),
    (request, { address }) =>
      request.fields.push(['X-Real-IP', '10.0.0.1'], ['X-Real-IP', address]),
  ),
  changesRequest('a constant X-Real-IP is added', differs('forwarding/client-address'), (request) =>
    request.fields.push(['X-Real-IP', '10.0.0.1']),
  ),
  changesRequest(
    'the address is that of a client before',
    differs('forwarding/client-address'),
    (request) => {
      request.fields = [
        ...without(request.fields, 'x-forwarded-for'),
        ['X-Forwarded-For', '192.0.2.1'],
      ];
    },
  ),
];
