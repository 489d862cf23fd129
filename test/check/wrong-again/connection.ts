import { valuesOf, type FieldLine } from '../../../src/check/message.ts';
import type { Deviation } from '../_gateway-messages.ts';
import { by, onRequest, silent, without, wrong, type WrongProxy } from '../_wrong.ts';

/** Keeps something of one request for a later one. */
function leaking(
  change: (own: FieldLine[], others: readonly FieldLine[]) => FieldLine[],
  back = 1,
): Deviation {
  const before: FieldLine[][] = [];
  return onRequest((request) => {
    const own = request.fields;
    request.fields = change([...own], before.at(-back) ?? []);
    before.push(own);
  });
}

function closingAfter(count: number): Deviation {
  const served = new Map<number, number>();
  return {
    keepsAlive: ({ port, version, fields }) => {
      const number = (served.get(port) ?? 0) + 1;
      served.set(port, number);
      return (
        version === '1.1' && number < count && !valuesOf(fields, 'connection').includes('close')
      );
    },
  };
}

const leaks = by(leaking);

/** Gateways that do wrong things with connections of clients. */
export const wrongConnections: readonly WrongProxy[] = [
  wrong('closes a connection after two requests', 'connection/persistent', closingAfter(2)),
  silent('says that it closes the connection, and does not', 'connection/close', {
    keepsAlive: () => true,
    response: (response, client) => {
      if (valuesOf(client.fields, 'connection').includes('close'))
        response.fields.push(['Connection', 'close']);
    },
  }),
  wrong(
    'forwards Connection: close of the origin, and closes nothing',
    'connection/origin-closes',
    {
      response: (response, client) => {
        if (client.target.includes('connection=close'))
          response.fields.push(['Connection', 'close']);
      },
    },
  ),
  silent('loses a request that comes with the one before it', 'connection/pipelining', {
    dropsPipelined: 'joined',
  }),
  wrong('sends chunks to HTTP/1.0 without a Transfer-Encoding', 'connection/http10', {
    waitsForResponse: () => true,
    response: (response, client) => {
      if (client.version !== '1.0' || response.framing !== 'chunked' || !response.content) return;
      const { content } = response;
      const size = Buffer.from(`${content.length.toString(16)}\r\n`);
      response.content = Buffer.concat([size, content, Buffer.from('\r\n0\r\n\r\n')]);
      response.framing = 'until-close';
    },
  }),
  wrong('sends Transfer-Encoding: identity to HTTP/1.0', 'connection/http10', {
    response: (response, client) => {
      if (client.version === '1.0') response.fields.push(['Transfer-Encoding', 'identity']);
    },
  }),
  wrong('cuts a response to HTTP/1.0 to the first 4 KiB', 'connection/http10', {
    waitsForResponse: () => true,
    response: (response, client) => {
      if (client.version === '1.0') response.content = response.content?.subarray(0, 4096);
    },
  }),
  leaks(
    'adds a cookie of the client before under another name',
    'connection/fields-of-others',
    (own, others) => {
      const [cookie] = valuesOf(others, 'cookie');
      return cookie === undefined ? own : [...own, ['X-Session', cookie]];
    },
  ),
  leaks(
    'adds a field of the client before to a value of its own',
    'connection/fields-of-others',
    (own, others) => {
      const [first] = valuesOf(others, 'cookie');
      return first === undefined
        ? own
        : own.map(([name, value]) => [name, name === 'Via' ? `${value} (${first})` : value]);
    },
  ),
  wrong(
    'adds a cookie of the fourth client before',
    'connection/fields-of-others',
    leaking((own, others) => {
      const [cookie] = valuesOf(others, 'cookie');
      return cookie === undefined ? own : [...own, ['Cookie', cookie]];
    }, 4),
  ),
  leaks(
    'adds cookies of the client before to cookies only',
    'connection/fields-of-others',
    (own, others) => {
      const [first] = valuesOf(others, 'cookie');
      const [second] = valuesOf(own, 'cookie');
      return first === undefined || second === undefined
        ? own
        : [...without(own, 'cookie'), ['Cookie', `${first}; ${second}`]];
    },
  ),
  wrong('loses fields that are not in the first bytes', 'connection/split-head', {
    readSplitHead: (text) => text.replaceAll(/^(?!GET |Host:|\r\n).*\r\n/gim, ''),
  }),
  wrong('answers an empty line with 400, and serves the request', 'connection/empty-lines', {
    answersEmptyLine: true,
  }),
  wrong('refuses an empty line before the second request', 'connection/empty-lines', {
    closesAtEmptyLine: 'later',
  }),
];
