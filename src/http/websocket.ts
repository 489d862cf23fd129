import { createHash } from 'node:crypto';
import { fieldCount, fieldValue, type FieldLines } from './fields.ts';
import { isToken, listMembers, QUOTED_STRING, TOKEN } from './syntax.ts';

/** Sec-WebSocket-Version of RFC 6455. */
export const WEBSOCKET_VERSION = '13';

/** The value of Sec-WebSocket-Accept for a key (RFC 6455 4.2.2). */
export function acceptKey(key: string): string {
  return createHash('sha1').update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest('base64');
}

/** Whether the value is the base64 of 16 bytes (RFC 6455 4.2.1). */
export function isWebSocketKey(value: string): boolean {
  return /^[\dA-Za-z+/]{21}[AQgw]==$/.test(value);
}

/** Whether the fields ask for an upgrade to WebSocket (RFC 9110 7.8). */
export function asksForWebSocket(fields: FieldLines): boolean {
  const members = (name: string): string[] =>
    listMembers((fieldValue(fields, name) ?? '').toLowerCase());
  return members('upgrade').includes('websocket') && members('connection').includes('upgrade');
}

/** The first subprotocol that a client offers (RFC 6455 4.1); undefined if there are none, or malformed ones. */
export function firstSubprotocol(fields: FieldLines): string | undefined {
  if (fieldCount(fields, 'sec-websocket-protocol') === 0) return undefined;
  const offered = listMembers(fieldValue(fields, 'sec-websocket-protocol') ?? '');
  return offered.every(isToken) ? offered[0] : undefined;
}

/** Parameters of permessage-deflate that both sides have agreed on (RFC 7692 7.1). */
export interface DeflateParameters {
  readonly serverNoContextTakeover: boolean;
  readonly clientNoContextTakeover: boolean;
  /** Base-2 logarithm of the maximum LZ77 window, 8 to 15. */
  readonly serverMaxWindowBits: number;
  readonly clientMaxWindowBits: number;
}

/** An offer of permessage-deflate that is accepted. */
export interface AcceptedDeflate {
  readonly parameters: DeflateParameters;
  /** The value of Sec-WebSocket-Extensions in the response. */
  readonly field: string;
}

const DEFLATE = 'permessage-deflate';
const PARAMETER = `[ \\t]*;[ \\t]*(${TOKEN})(?:[ \\t]*=[ \\t]*(${TOKEN}|${QUOTED_STRING}))?`;
const EXTENSION_PARAMETER = new RegExp(PARAMETER, 'g');
const EXTENSION = new RegExp(`^(${TOKEN})(?:${PARAMETER})*$`);
const WINDOW_BITS = /^(?:[89]|1[0-5])$/;
const MAX_WINDOW_BITS = 15;

/** Which values each parameter may have in an offer. */
const DEFLATE_PARAMETERS: Readonly<Record<string, (value: string | undefined) => boolean>> = {
  server_no_context_takeover: (value) => value === undefined,
  client_no_context_takeover: (value) => value === undefined,
  server_max_window_bits: (value) => value !== undefined && WINDOW_BITS.test(value),
  client_max_window_bits: (value) => value === undefined || WINDOW_BITS.test(value),
};

/**
 * Accepts the first valid offer of permessage-deflate. Others are declined (RFC 7692 5.1, 7.1): those with unknown,
 * repeated or invalid parameters.
 *
 * @returns undefined without a valid offer, `malformed` if the field is not a list of extensions (RFC 6455 9.1)
 */
export function acceptDeflate(fields: FieldLines): AcceptedDeflate | 'malformed' | undefined {
  const offers = listMembers(fieldValue(fields, 'sec-websocket-extensions') ?? '');
  if (!offers.every((offer) => EXTENSION.test(offer))) return 'malformed';
  for (const offer of offers) {
    const accepted = nameOf(offer) === DEFLATE ? acceptOffer(offer) : undefined;
    if (accepted) return accepted;
  }
  return undefined;
}

/** Accepts any offer of permessage-deflate with the same response, as a server does that reads no parameters. */
export function acceptDeflateObliviously(fields: FieldLines): AcceptedDeflate | undefined {
  const offers = listMembers(fieldValue(fields, 'sec-websocket-extensions') ?? '');
  if (!offers.some((offer) => nameOf(offer) === DEFLATE)) return undefined;
  const parameters = {
    serverNoContextTakeover: true,
    clientNoContextTakeover: true,
    serverMaxWindowBits: MAX_WINDOW_BITS,
    clientMaxWindowBits: MAX_WINDOW_BITS,
  };
  return {
    parameters,
    field: `${DEFLATE}; server_no_context_takeover; client_no_context_takeover`,
  };
}

const nameOf = (offer: string): string | undefined => offer.split(/[ \t;]/, 1)[0];

function acceptOffer(offer: string): AcceptedDeflate | undefined {
  const given = new Map<string, string | undefined>();
  let field = DEFLATE;
  for (const [, name = '', text] of offer.matchAll(EXTENSION_PARAMETER)) {
    const value = text?.replace(/^"|"$|\\(?=.)/g, '');
    const isValid = Object.hasOwn(DEFLATE_PARAMETERS, name) && DEFLATE_PARAMETERS[name]?.(value);
    if (!isValid || given.has(name)) return undefined;
    given.set(name, value);
    // Without a value, it says that the client understands the parameter in the response (RFC 7692 7.1.2.2).
    if (value !== undefined) field += `; ${name}=${value}`;
    else if (name !== 'client_max_window_bits') field += `; ${name}`;
  }
  const bits = (name: string): number => Number(given.get(name) ?? MAX_WINDOW_BITS);
  const parameters = {
    serverNoContextTakeover: given.has('server_no_context_takeover'),
    clientNoContextTakeover: given.has('client_no_context_takeover'),
    serverMaxWindowBits: bits('server_max_window_bits'),
    clientMaxWindowBits: bits('client_max_window_bits'),
  };
  return { parameters, field };
}
