import { listOf, valueOf, type FieldLine } from '../../../src/check/message.ts';
import { Malformed } from '../_bytes.ts';
import type { ClientRequest, ClientResponse, Deviation } from '../_gateway-messages.ts';
import { differs, onRequest, silent, wrong, type WrongProxy, keepsFields } from '../_wrong.ts';
import { replaceContent } from '../_wrong-content.ts';

const dropping = (...codes: readonly number[]): Deviation => ({
  interim: (head) => (codes.includes(head.status) ? undefined : head),
});

const failingFor = (code: number): Deviation => ({
  interim: (head) => {
    if (head.status === code) throw new Malformed('1xx', 502);
    return head;
  },
});

const expects = ({ fields, version }: ClientRequest): boolean =>
  version === '1.1' && listOf(fields, 'expect').includes('100-continue');

/** Fails after so many interim responses to a request. @param status of those that it counts; default: any */
function afterInterim(count: number, status?: number): Deviation {
  const seen = new WeakMap<ClientRequest, number>();
  return {
    interim: (head, client) => {
      const number = (seen.get(client) ?? 0) + 1;
      if (number > count && head.status === (status ?? head.status))
        throw new Malformed('1xx', 502);
      seen.set(client, number);
      return head;
    },
  };
}

/**
 * Loses content of each fifth response with 16 KiB or more that follows an interim one, as HAProxy 2.6 does of some.
 *
 * @param send has the rest sent
 */
function losingContent(send: (rest: Buffer, response: ClientResponse) => void): Deviation {
  const early = new WeakSet<ClientRequest>();
  let count = 0;
  return {
    interim: (head, client) => {
      early.add(client);
      return head;
    },
    waitsForResponse: ({ framing }) => typeof framing === 'object' && framing.length >= 16_384,
    response: (response, client) => {
      const { content } = response;
      if (content && early.has(client) && ++count % 5 === 0) send(content.subarray(1000), response);
    },
  };
}

/** Sends the fields of interim responses with the final one, too. */
function repeatingInterim(): Deviation {
  const early = new WeakMap<ClientRequest, readonly FieldLine[]>();
  return {
    interim: (head, client) => {
      early.set(client, head.fields);
      return head;
    },
    response: (response, client) => {
      response.fields.push(...(early.get(client) ?? []));
    },
  };
}

/** Gateways that lose or make interim responses. */
export const wrongInterims: readonly WrongProxy[] = [
  wrong('sends the fields of 103 with the final response', 'interim/103-link', repeatingInterim()),
  silent('loses 103', ['interim/103-forwarded', 'interim/several-forwarded'], dropping(103)),
  wrong(
    'loses 103 if the final response comes with it',
    { 'interim/103-joined': 'fail', 'interim/103-hop': 'not-applicable' },
    { losesJoinedInterim: true },
  ),
  wrong(
    'loses content of one in five responses after 103',
    'interim/103-content',
    losingContent((content, response) => replaceContent(response, content)),
  ),
  silent(
    'leaves content of one in five responses after 103 out',
    'interim/103-content',
    losingContent((content, response) => void (response.content = content)),
  ),
  wrong('loses 102', ['interim/102-forwarded', 'interim/several-forwarded'], dropping(102)),
  wrong('loses unknown interim responses', 'interim/unregistered-forwarded', dropping(199)),
  silent('loses 100', 'http/1.1 expect/continue', dropping(100)),
  wrong(
    'fails for 103',
    {
      'interim/103': 'fail',
      'interim/several': 'fail',
      'interim/http10': 'not-applicable',
    },
    failingFor(103),
  ),
  wrong(
    'fails for 102',
    {
      'interim/102': 'fail',
      'interim/several': 'fail',
      'interim/many': 'differs',
    },
    failingFor(102),
  ),
  wrong('fails for an unknown interim response', 'interim/unregistered', failingFor(199)),
  wrong('drops the fields of 103', 'interim/103-link', {
    interim: ({ status }) => ({ status, fields: [] }),
  }),
  wrong('sends 1xx to HTTP/1.0', 'interim/http10', { sendsInterimToHttp10: true }),
  wrong('sends 100 by itself', differs('expect/refused'), { waitsForRequest: expects }),
  wrong('forwards 100 to HTTP/1.0', ['expect/http10', 'interim/http10'], {
    sendsInterimToHttp10: true,
    request: ({ fields: sent }, { version }) => {
      if (version === '1.0') sent.push(['Expect', '100-continue']);
    },
  }),
  keepsFields(
    'ignores unknown expectations',
    differs('expect/unknown'),
    (_name, value) => value !== 'check-expectation',
  ),
  wrong('forwards fields that Connection of 103 lists', 'interim/103-hop', {
    readResponseHead: (text) => text.replace(/^Connection: X-Check-Hop, Keep-Alive\r\n/m, ''),
  }),
  wrong('forwards 101', 'http/1.1 interim/101-unrequested', {
    readResponseHead: (text) => text.replace('101 Switching', '102 Switching'),
    interim: (head) =>
      valueOf(head.fields, 'upgrade') === undefined ? head : { ...head, status: 101 },
  }),
  silent(
    'answers nothing where the origin sends 101',
    { 'interim/101-unrequested': 'not-applicable' },
    onRequest((request) => {
      const [, bytes = ''] = request.target.split('base64=');
      const isSwitch = Buffer.from(bytes, 'base64url').includes('Upgrade: check');
      if (isSwitch) request.target = '/delay/10';
    }),
  ),
  wrong('allows ten interim responses', differs('interim/many'), afterInterim(10)),
  wrong('fails for a second 100', 'interim/second-continue', afterInterim(1, 100)),
  wrong(
    'cuts what waits for 100 after 64 KiB',
    { 'http/1.1 expect/large': 'fail', 'http/1.1 expect/refused': 'differs' },
    {
      waitsForRequest: expects,
      request: (request) => {
        if (!request.content) return;
        request.content = request.content.subarray(0, 65_536);
        request.framing = { length: request.content.length };
      },
    },
  ),
  wrong(
    'takes content after its own 417 for a request',
    {
      'expect/content-later': 'fail',
      'expect/refused': 'not-applicable',
      'expect/large': 'differs',
      'http/1.1 interim/second-continue': 'differs',
    },
    {
      refuses: (request) => (expects(request) ? 417 : undefined),
      keepsUnread: true,
    },
  ),
];
