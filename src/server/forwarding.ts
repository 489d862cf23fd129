import { canonicalAddress, clientNetwork, unmapAddress } from '../http/ip-address.ts';
import type { Request } from './request.ts';
import { fieldValue, type FieldLines } from '../http/fields.ts';
import { nodeAddress, parseForwarded } from '../http/forwarded.ts';
import { isAuthority } from '../http/target.ts';

/** The original request as described by trusted proxies; undefined where they say nothing. */
export interface Forwarding {
  /** The client's address. */
  readonly client: string | undefined;
  readonly scheme: 'http' | 'https' | undefined;
  readonly authority: string | undefined;
}

const NO_FORWARDING: Forwarding = { client: undefined, scheme: undefined, authority: undefined };

/** Maximum number of forwarding hops. A client can claim thousands. */
const MAX_HOPS = 100;

/** Cache, keyed by the request's field lines, because several parts of a response need the result. */
const known = new WeakMap<FieldLines, Forwarding>();

/** Reads the forwarding fields of a request if the peer is a trusted proxy. */
export function forwardingOf({ fields, connection }: Request): Forwarding {
  const { trustedProxies } = connection;
  if (!trustedProxies) return NO_FORWARDING;
  const found = known.get(fields) ?? readForwarding(fields, (it) => trustedProxies.has(it));
  known.set(fields, found);
  return found;
}

/** The client's address: from the fields of a trusted proxy, or else that of the connection. */
export function clientAddress(request: Request): string {
  return forwardingOf(request).client ?? request.connection.remoteAddress;
}

/** Network of the client's address. Limits per client apply to whole networks. */
export function clientNetworkOf(request: Request): string {
  return clientNetwork(clientAddress(request));
}

/**
 * Walks back from proxy to proxy. The client is the first untrusted address, or the last one examined after MAX_HOPS. A
 * hop without an address ends the walk, because earlier ones may be spoofed.
 *
 * If there is a Forwarded field (RFC 7239), even a malformed one, X-Forwarded-* is ignored. Otherwise a client could
 * send a malformed Forwarded to have its own X-Forwarded-For trusted.
 */
export function readForwarding(
  fields: FieldLines,
  trusts: (address: string) => boolean,
): Forwarding {
  const forwarded = fieldValue(fields, 'forwarded');
  const hops = forwarded === undefined ? xForwardedHops(fields) : forwardedHops(forwarded);
  let { client, scheme, authority } = NO_FORWARDING;
  let count = 0;
  for (const hop of hops) {
    if (++count > MAX_HOPS) break;
    scheme = hop.scheme ?? scheme;
    authority = hop.authority ?? authority;
    client = hop.client ?? client;
    if (hop.client === undefined || !trusts(hop.client)) break;
  }
  return { client, scheme, authority };
}

/** Hops of Forwarded. The nearest proxy is first here, and last in the field. */
function* forwardedHops(value: string): Generator<Forwarding> {
  for (const element of parseForwarded(value)?.toReversed() ?? []) {
    yield hopOf(nodeAddress(element.get('for') ?? ''), element.get('proto'), element.get('host'));
  }
}

/** Hops of X-Forwarded-For. -Proto and -Host are matched by position if they have as many values. */
function* xForwardedHops(fields: FieldLines): Generator<Forwarding> {
  const nodes = listMembers(fields, 'x-forwarded-for');
  const schemes = listMembers(fields, 'x-forwarded-proto');
  const authorities = listMembers(fields, 'x-forwarded-host');
  if (nodes.length === 0) yield hopOf(undefined, schemes.at(-1), authorities.at(-1));
  const valueAt = (list: readonly string[], at: number): string | undefined => {
    if (list.length === nodes.length) return list[at];
    // If the number differs, only the last value certainly belongs to the nearest proxy.
    return at === nodes.length - 1 ? list.at(-1) : undefined;
  };
  for (let at = nodes.length - 1; at >= 0; at--) {
    const node = nodes[at] ?? '';
    // An IPv6 address may have no brackets, or have brackets and a port.
    const address = canonicalAddress(node) ?? nodeAddress(node);
    yield hopOf(address, valueAt(schemes, at), valueAt(authorities, at));
  }
}

/** Makes a hop. Invalid values are ignored. */
function hopOf(address: string | undefined, proto = '', host = ''): Forwarding {
  const scheme = proto.toLowerCase();
  return {
    client: address && unmapAddress(address),
    scheme: scheme === 'http' || scheme === 'https' ? scheme : undefined,
    authority: isAuthority(host) ? host : undefined,
  };
}

/** Splits at every comma, even in quoted strings: a client's quotation mark must not hide what a proxy appends. */
function listMembers(fields: FieldLines, name: string): readonly string[] {
  const members = (fieldValue(fields, name) ?? '').split(',').map((member) => member.trim());
  return members.filter((member) => member !== '');
}
