import { valuesOf } from '../../../src/check/message.ts';
import { onRequest, without, wrong, type WrongProxy } from '../_wrong.ts';
import type { ClientRequest, Deviation } from '../_gateway-messages.ts';

/** What it sends as a field of which the client has sent one, too. */
const sending = (
  name: string,
  value: (sent: string, client: ClientRequest) => string | undefined,
): Deviation =>
  onRequest((request, client) => {
    const [sent] = valuesOf(client.fields, name);
    if (sent === undefined) return;
    const sends = value(sent, client);
    request.fields = without(request.fields, name);
    if (sends !== undefined) request.fields.push([name, sends]);
  });

export const forwarding: readonly WrongProxy[] = [
  wrong(
    'the address precedes that of the client',
    sending('x-forwarded-for', (sent, { address }) => `${address}, ${sent}`),
    {
      'forwarding/spoofed-for': 'fail',
    },
  ),
  wrong(
    'the address that is sent is appended with the port',
    sending('x-forwarded-for', (sent, { port }) => `${sent}, ${sent}:${port}`),
    {
      'forwarding/spoofed-for': 'fail',
    },
  ),
  wrong(
    'unknown is appended to an address',
    sending('x-forwarded-for', (sent) => `${sent}, unknown`),
    {
      'forwarding/spoofed-for': 'fail',
    },
  ),
  wrong(
    'the element precedes that of the client',
    sending('forwarded', (sent, { address }) => `for=${address}, ${sent}`),
    {
      'forwarding/spoofed-forwarded': 'fail',
    },
  ),
  wrong(
    'the element of the client gets a parameter',
    sending('forwarded', (sent) => `${sent};by=_gateway`),
    {
      'forwarding/spoofed-forwarded': 'fail',
    },
  ),
  wrong(
    'Forwarded keeps proto of the client',
    sending('forwarded', (_sent, { address }) => `for=${address};proto=https`),
    {
      'forwarding/spoofed-forwarded': 'fail',
    },
  ),
  wrong(
    'the scheme is appended to that of the client',
    sending('x-forwarded-proto', (sent) => `${sent}, http`),
    {
      'forwarding/spoofed-proto': 'fail',
    },
  ),
  wrong(
    'the scheme is sent before that of the client',
    sending('x-forwarded-proto', (sent) => `http,${sent}`),
    {
      'forwarding/spoofed-proto': 'fail',
    },
  ),
  wrong(
    'the scheme of the client is in upper case',
    sending('x-forwarded-proto', (sent) => sent.toUpperCase()),
    {
      'forwarding/spoofed-proto': 'fail',
    },
  ),
  wrong(
    'X-Forwarded-Host is joined to that of the client',
    sending('x-forwarded-host', (sent, { authority }) => `${sent}, ${authority}`),
    {
      'forwarding/spoofed-host': 'differs',
    },
  ),
  wrong(
    'X-Real-IP is that of the client with its port',
    sending('x-real-ip', (sent) => `${sent}:80`),
    {
      'forwarding/spoofed-real-ip': 'differs',
    },
  ),
  wrong(
    'only Client-Cert is removed',
    onRequest((request, client) => {
      const [chain] = valuesOf(client.fields, 'client-cert-chain');
      if (chain !== undefined) request.fields.push(['Client-Cert-Chain', chain]);
    }),
    { 'forwarding/spoofed-certificate': 'differs' },
  ),
  wrong(
    'the address is that of a client before',
    onRequest((request) => {
      request.fields = [
        ...without(request.fields, 'x-forwarded-for'),
        ['X-Forwarded-For', '192.0.2.1'],
      ];
    }),
    { 'forwarding/client-address': 'differs' },
  ),
];
