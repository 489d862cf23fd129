import { listOf, valuesOf, type FieldLine } from '../../../src/check/message.ts';
import {
  by,
  changesRequest,
  differs,
  mapped,
  onRequest,
  without,
  wrong,
  type WrongProxy,
} from '../_wrong.ts';
import type { Deviation } from '../_gateway-messages.ts';

/** What it makes of Connection before it removes fields. */
const readingConnection = (change: (value: string) => string): Deviation => ({
  receive: (fields) =>
    mapped(fields, (value, name) => (name === 'connection' ? change(value) : value)),
});

/** Listed fields are forwarded in another form. */
const forwarding = (change: (name: string) => FieldLine | undefined): Deviation =>
  onRequest((request, client) => {
    for (const name of listOf(client.fields, 'connection')) {
      const line = name.startsWith('x-') ? change(name) : undefined;
      if (line) request.fields.push(line);
    }
  });

const changingVia = (
  change: (own: FieldLine, fields: readonly FieldLine[]) => FieldLine[],
): Deviation =>
  onRequest((request) => {
    const own = request.fields.findLast(([name]) => name === 'Via') ?? ['Via', ''];
    request.fields = change(own, request.fields);
  });

/** A response of the origin on HTTP/1.0 is one on HTTP/1.0 for the client, too. */
function keepsResponseVersion(isKept: (status: number) => boolean): Deviation {
  let isOld = false;
  return {
    readResponseHead: (text) => {
      isOld = text.startsWith('HTTP/1.0');
      return text;
    },
    response: (response) => {
      if (isOld && isKept(response.status)) response.version = 'HTTP/1.0';
    },
  };
}

const changesVia = by(changingVia);

export const hop: readonly WrongProxy[] = [
  wrong(
    'listed fields are forwarded without their values',
    'hop/connection-listed',
    forwarding((name) => [name, '']),
  ),
  wrong('listed fields are compared with their case', 'hop/connection-listed-case', {
    request: (request, client) => {
      const listed = valuesOf(client.fields, 'connection').join().split(/, */);
      for (const [name, value] of client.fields)
        if (/^x-check-hop$/i.test(name) && !listed.includes(name))
          request.fields.push([name, value]);
    },
  }),
  wrong(
    'only the first member of each Connection line is removed',
    'hop/connection-several',
    readingConnection((value) => value.replace(/,.*/, '')),
  ),
  wrong('only the last Connection line is read', 'hop/connection-several', {
    receive: (fields) =>
      fields.filter((line, at) => line[0] !== 'Connection' || fields[at + 1]?.[0] !== 'Connection'),
  }),
  changesRequest(
    'options of the client are appended to those of the gateway',
    'hop/connection-itself',
    (request, client) => {
      const options = listOf(client.fields, 'connection');
      request.fields = mapped(request.fields, (value, name) =>
        name === 'connection' ? [value, ...options].join(', ') : value,
      );
    },
  ),
  changesRequest(
    'Keep-Alive is forwarded with a shorter time',
    'hop/keep-alive',
    (request, client) => {
      if (valuesOf(client.fields, 'keep-alive').length > 0)
        request.fields.push(['Keep-Alive', 'timeout=4']);
    },
  ),
  changesRequest(
    'Proxy-Connection is forwarded as close',
    'hop/proxy-connection',
    (request, client) => {
      if (valuesOf(client.fields, 'proxy-connection').length > 0)
        request.fields.push(['Proxy-Connection', 'close']);
    },
  ),
  wrong(
    'content whose length is listed in Connection loses its last byte',
    'hop/connection-content-length',
    {
      waitsForRequest: () => true,
      request: (request, client) => {
        if (!listOf(client.fields, 'connection').includes('content-length')) return;
        request.content = request.content?.subarray(0, -1);
        request.framing = { length: 6 };
      },
    },
  ),
  changesVia('Via has no version', 'hop/via-request', (own, fields) =>
    fields.map((line) => (line === own ? ['Via', 'test-gateway'] : line)),
  ),
  changesVia('Via has no pseudonym', 'hop/via-request', (own, fields) =>
    fields.map((line) => (line === own ? ['Via', '1.1'] : line)),
  ),
  changesRequest(
    'Via is added to requests without content only',
    'hop/via-request',
    (request, client) => {
      if (client.framing !== 'none') request.fields = without(request.fields, 'via');
    },
  ),
  changesRequest(
    'Via has the version of the gateway in place of the received one',
    'hop/via-request',
    (request) => {
      request.fields = mapped(request.fields, (value) =>
        value.replace(/^[12]\.\d (test-gateway)/, '3.0 $1'),
      );
    },
  ),
  changesVia('Via is that of the client with another version', 'hop/via-appended', (_own, fields) =>
    mapped(fields, (value) => value.replace(/^1\.0 check/, '1.1 check')),
  ),
  changesVia(
    'Via of the gateway precedes that of the client',
    'hop/via-appended',
    (own, fields) => [own, ...fields.filter((line) => line !== own)],
  ),
  wrong(
    'listed fields of responses are forwarded without their values',
    'hop/response-connection-listed',
    {
      readResponseHead: (text) =>
        text.replace(/Connection: (X-Check-Hop)\r\nX-Check-Hop: 1/i, '$1: '),
    },
  ),
  wrong(
    'listed fields are removed from responses with content only',
    'hop/response-connection-listed',
    {
      readResponseHead: (text) =>
        /content-length: 0/i.test(text) ? text.replace(/connection: x.*\r\n/i, '') : text,
    },
  ),
  changesRequest(
    'requests with content from HTTP/1.0 are forwarded as HTTP/1.0',
    'hop/version-request',
    (request, client) => {
      if (client.version === '1.0' && client.framing !== 'none') request.version = 'HTTP/1.0';
    },
  ),
  changesRequest(
    'requests from HTTP/1.0 are forwarded as HTTP/1.0 with keep-alive',
    'hop/version-request',
    (request, client) => {
      if (client.version !== '1.0') return;
      request.version = 'HTTP/1.0';
      request.fields = [...without(request.fields, 'connection'), ['Connection', 'keep-alive']];
    },
  ),
  wrong(
    'errors keep the version of the origin',
    'hop/version-response',
    keepsResponseVersion((status) => status >= 400),
  ),
  wrong(
    '200 keeps the version of the origin',
    'hop/version-response',
    keepsResponseVersion((status) => status === 200),
  ),
  changesRequest(
    'chunked that is listed in Connection is removed with its content',
    'hop/connection-content-length',
    (request, client) => {
      if (listOf(client.fields, 'connection').includes('transfer-encoding')) {
        request.framing = 'none';
        request.content = Buffer.alloc(0);
      }
    },
  ),
  changesRequest(
    'Authorization that is listed in Connection loses its value',
    differs('hop/connection-authorization'),
    (request, client) => {
      if (listOf(client.fields, 'connection').includes('authorization'))
        request.fields.push(['Authorization', '']);
    },
  ),
];
