import { expect, test } from 'vitest';
import {
  acceptDeflate,
  acceptKey,
  asksForWebSocket,
  deflateAnswerFault,
  firstSubprotocol,
  isWebSocketKey,
} from '../../src/http/websocket.ts';
import { ACCEPT, KEY } from '../_websocket.ts';

test('RFC 6455 1.3: what accepts a key', () => {
  expect(acceptKey(KEY)).toBe(ACCEPT);
});

test('RFC 6455 4.2.1: a key is 16 bytes', () => {
  const keys = [KEY, 'AAAAAAAAAAAAAAAAAAAAAA=='];
  const others = ['AAAAAAAAAAAAAAAAAAAAAB==', 'AAAAAAAAAAAAAAAAAAAAAAA=', ''];
  expect([...keys, ...others].filter(isWebSocketKey)).toEqual(keys);
});

test.each([
  [['Upgrade', 'websocket', 'Connection', 'Upgrade'], true],
  [['upgrade', 'h2c, WebSocket', 'connection', 'keep-alive, upgrade'], true],
  [['Upgrade', 'websocket'], false],
  [['Upgrade', 'h2c', 'Connection', 'Upgrade'], false],
])('RFC 6455 4.2.1: %j', (fields, asks) => {
  expect(asksForWebSocket(fields)).toBe(asks);
});

test.each([
  [[], undefined],
  [['Sec-WebSocket-Protocol', 'a, b'], 'a'],
  [['Sec-WebSocket-Protocol', 'a', 'Sec-WebSocket-Protocol', 'b'], 'a'],
  [['Sec-WebSocket-Protocol', 'a b'], undefined],
])('the first subprotocol of %j', (fields, first) => {
  expect(firstSubprotocol(fields)).toBe(first);
});

const DEFLATE = 'permessage-deflate';

test.each([
  ['permessage-deflate', DEFLATE],
  ['permessage-deflate; client_max_window_bits', DEFLATE],
  [
    'permessage-deflate; client_max_window_bits=10; server_max_window_bits="12"',
    `${DEFLATE}; client_max_window_bits=10; server_max_window_bits=12`,
  ],
  [
    'permessage-deflate;server_no_context_takeover ; client_no_context_takeover',
    `${DEFLATE}; server_no_context_takeover; client_no_context_takeover`,
  ],
  [
    'x-other; a=b, permessage-deflate; a, permessage-deflate; server_max_window_bits=8',
    `${DEFLATE}; server_max_window_bits=8`,
  ],
])('RFC 7692 7.1: of %s, %s is accepted', (offers, field) => {
  expect(acceptDeflate(['Sec-WebSocket-Extensions', offers])).toMatchObject({ field });
});

test('RFC 7692 7.1.2: what the parameters say', () => {
  const given =
    'permessage-deflate; server_no_context_takeover; client_no_context_takeover; server_max_window_bits=9; client_max_window_bits=15';
  const accepted = acceptDeflate(['sec-websocket-extensions', given]);
  expect(accepted).toMatchObject({
    parameters: {
      serverNoContextTakeover: true,
      clientNoContextTakeover: true,
      serverMaxWindowBits: 9,
      clientMaxWindowBits: 15,
    },
  });
});

test.each([
  'unknown',
  'constructor',
  'server_no_context_takeover=1',
  'client_no_context_takeover=""',
  'server_max_window_bits',
  'server_max_window_bits=7',
  'server_max_window_bits=16',
  'server_max_window_bits=08',
  'server_max_window_bits=+8',
  'client_max_window_bits=0',
  'client_max_window_bits; client_max_window_bits=15',
  'Server_no_context_takeover',
])('RFC 7692 5.1: an offer with %s is declined', (parameter) => {
  expect(acceptDeflate(['Sec-WebSocket-Extensions', `permessage-deflate; ${parameter}`])).toBe(
    undefined,
  );
});

test.each(['permessage-deflate;', 'a b', 'a; b=', 'a; b="c', '=', 'a; ="b"'])(
  'RFC 6455 9.1: %s is malformed',
  (text) => {
    expect(acceptDeflate(['Sec-WebSocket-Extensions', text])).toBe('malformed');
  },
);

test('no extension is offered', () => {
  expect(acceptDeflate([])).toBe(undefined);
  expect(acceptDeflate(['Sec-WebSocket-Extensions', ' , x-other'])).toBe(undefined);
});

const BITS = 'max_window_bits';

test.each([
  [DEFLATE, undefined],
  [DEFLATE, ''],
  [DEFLATE, DEFLATE],
  // The server may limit itself without being asked (RFC 7692 7.1.1.1, 7.1.2.1), and the client's context (7.1.1.2).
  [DEFLATE, `${DEFLATE}; server_no_context_takeover; client_no_context_takeover`],
  [DEFLATE, `${DEFLATE}; server_${BITS}=9`],
  [`${DEFLATE}; client_no_context_takeover`, DEFLATE],
  [`${DEFLATE}; server_${BITS}=12`, `${DEFLATE}; server_${BITS}=12`],
  [`${DEFLATE}; server_${BITS}=12`, `${DEFLATE}; server_${BITS}="8"`],
  [`${DEFLATE}; client_${BITS}`, `${DEFLATE}; client_${BITS}=15`],
  [`${DEFLATE}; client_${BITS}`, DEFLATE],
  [`${DEFLATE}; client_${BITS}=10`, DEFLATE],
  [`${DEFLATE}; client_${BITS}=10`, `${DEFLATE}; client_${BITS}=9`],
  [`${DEFLATE}; server_${BITS}=10, ${DEFLATE}`, DEFLATE],
  [`x-a; b, ${DEFLATE}`, `x-a; b, ${DEFLATE}`],
])('RFC 7692 7.1: to %s a server may answer %s', (offered, answered) => {
  expect(deflateAnswerFault(offered, answered)).toBeUndefined();
});

const INVALID = 'a parameter is unknown, repeated or has an invalid value';
const NOT_ALLOWED = 'no valid offer allows these parameters';

test.each([
  [DEFLATE, 'a b', 'it is not a list of extensions'],
  [DEFLATE, 'x-other', 'x-other was not offered'],
  ['x-other', DEFLATE, `${DEFLATE} was not offered`],
  [`${DEFLATE}, ${DEFLATE}`, `${DEFLATE}, ${DEFLATE}`, `${DEFLATE} is answered more than once`],
  [DEFLATE, `${DEFLATE}; x-check`, INVALID],
  [DEFLATE, `${DEFLATE}; server_${BITS}=10; server_${BITS}=10`, INVALID],
  [DEFLATE, `${DEFLATE}; server_${BITS}=16`, INVALID],
  [DEFLATE, `${DEFLATE}; server_${BITS}=08`, INVALID],
  [DEFLATE, `${DEFLATE}; server_${BITS}`, INVALID],
  [DEFLATE, `${DEFLATE}; server_no_context_takeover=1`, INVALID],
  [
    `${DEFLATE}; client_${BITS}`,
    `${DEFLATE}; client_${BITS}`,
    'client_max_window_bits has no value',
  ],
  [DEFLATE, `${DEFLATE}; client_${BITS}=15`, NOT_ALLOWED],
  [`${DEFLATE}; client_${BITS}=10`, `${DEFLATE}; client_${BITS}=11`, NOT_ALLOWED],
  [`${DEFLATE}; server_${BITS}=10`, `${DEFLATE}; server_${BITS}=11`, NOT_ALLOWED],
  [`${DEFLATE}; server_${BITS}=10`, DEFLATE, NOT_ALLOWED],
  [`${DEFLATE}; server_no_context_takeover`, DEFLATE, NOT_ALLOWED],
  // Offers that have to be declined.
  [`${DEFLATE}; x-check`, DEFLATE, NOT_ALLOWED],
  [`${DEFLATE}; server_${BITS}=7`, DEFLATE, NOT_ALLOWED],
])('RFC 7692 7.1: to %s a server must not answer %s', (offered, answered, fault) => {
  expect(deflateAnswerFault(offered, answered)).toBe(fault);
});

test('whatever is offered, what is accepted is a legal answer', () => {
  const parameters = [
    'server_no_context_takeover',
    'client_no_context_takeover',
    `server_${BITS}=9`,
    `client_${BITS}=9`,
    `client_${BITS}`,
    'x-check',
  ];
  for (let chosen = 0; chosen < 2 ** parameters.length; chosen++) {
    const some = parameters.filter((_, at) => (chosen & (2 ** at)) !== 0);
    const offered = [DEFLATE, ...some].join('; ');
    const accepted = acceptDeflate(['Sec-WebSocket-Extensions', offered]);
    const field = typeof accepted === 'object' ? accepted.field : undefined;
    expect(deflateAnswerFault(offered, field), offered).toBeUndefined();
  }
});
