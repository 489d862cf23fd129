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

/** Accepts any offer of permessage-deflate with the same response, as a server that ignores the parameters does. */
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

/** The parameters of an offer or of its answer, by name; undefined with an unknown, repeated or invalid one (RFC 7692 7.1). */
function parametersOf(text: string): ReadonlyMap<string, string | undefined> | undefined {
  const given = new Map<string, string | undefined>();
  for (const [, name = '', quoted] of text.matchAll(EXTENSION_PARAMETER)) {
    const value = quoted?.replace(/^"|"$|\\(?=.)/g, '');
    const isValid = Object.hasOwn(DEFLATE_PARAMETERS, name) && DEFLATE_PARAMETERS[name]?.(value);
    if (!isValid || given.has(name)) return undefined;
    given.set(name, value);
  }
  return given;
}

function acceptOffer(offer: string): AcceptedDeflate | undefined {
  const given = parametersOf(offer);
  if (!given) return undefined;
  let field = DEFLATE;
  for (const [name, value] of given) {
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

const nameOf = (extension: string): string => extension.split(/[ \t;]/, 1)[0] ?? '';

/** Whether a server may give this answer to an offer. Both are valid (RFC 7692 7.1.1, 7.1.2). */
function isAnswerTo(
  offer: ReadonlyMap<string, string | undefined>,
  answer: ReadonlyMap<string, string | undefined>,
): boolean {
  const isNoLarger = (name: string): boolean =>
    Number(answer.get(name)) <= Number(offer.get(name) ?? MAX_WINDOW_BITS);
  if (offer.has('server_no_context_takeover') && !answer.has('server_no_context_takeover'))
    return false;
  if (offer.has('server_max_window_bits') && !isNoLarger('server_max_window_bits')) return false;
  if (!answer.has('client_max_window_bits')) return true;
  return offer.has('client_max_window_bits') && isNoLarger('client_max_window_bits');
}

/**
 * Why a client has to fail a connection after this answer to its offers of extensions (RFC 6455 9.1, RFC 7692 7.1).
 *
 * @param offered value of Sec-WebSocket-Extensions in the request, a valid list
 * @param answered the same in the response; undefined without the field
 * @returns undefined if the answer is legal
 */
export function deflateAnswerFault(
  offered: string,
  answered: string | undefined,
): string | undefined {
  const offers = listMembers(offered);
  const answers = listMembers(answered ?? '');
  if (!answers.every((answer) => EXTENSION.test(answer))) return 'it is not a list of extensions';
  const names = new Set(offers.map(nameOf));
  const other = answers.map(nameOf).find((name) => !names.has(name));
  if (other !== undefined) return `${other} was not offered`;
  const [answer, ...more] = answers.filter((each) => nameOf(each) === DEFLATE);
  if (answer === undefined) return undefined;
  if (more.length > 0) return `${DEFLATE} is answered more than once`;
  const given = parametersOf(answer);
  if (!given) return 'a parameter is unknown, repeated or has an invalid value';
  // Only an offer may leave the value to the server (RFC 7692 7.1.2.2).
  if (given.has('client_max_window_bits') && given.get('client_max_window_bits') === undefined)
    return 'client_max_window_bits has no value';
  const valid = offers.filter((offer) => nameOf(offer) === DEFLATE).map(parametersOf);
  return valid.some((offer) => offer && isAnswerTo(offer, given))
    ? undefined
    : 'no valid offer allows these parameters';
}
