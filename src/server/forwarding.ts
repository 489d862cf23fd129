import { canonicalAddress, clientNetwork, unmapAddress } from '../http/ip-address.ts';
import type { Request } from './request.ts';
import { fieldValue, type FieldLines } from '../http/fields.ts';
import { nodeAddress, parseForwarded } from '../http/forwarded.ts';
import { isAuthority } from '../http/target.ts';

/** The original request according to trusted proxies; undefined where they do not say. */
export interface Forwarding {
  /** The client's address. */
  readonly client: string | undefined;
  readonly scheme: 'http' | 'https' | undefined;
  readonly authority: string | undefined;
}

const NO_FORWARDING: Forwarding = { client: undefined, scheme: undefined, authority: undefined };

/** Maximum number of proxies in a row; a client can claim thousands. */
const MAX_HOPS = 100;

/** What has been read, by the fields of the request: several parts of a response need it. */
const known = new WeakMap<FieldLines, Forwarding>();

/** Reads the forwarding fields of a request if the peer is a trusted proxy. */
export function forwardingOf({ fields, connection }: Request): Forwarding {
  const { trustedProxies } = connection;
  if (!trustedProxies) return NO_FORWARDING;
  const found = known.get(fields) ?? readForwarding(fields, (it) => trustedProxies.has(it));
  known.set(fields, found);
  return found;
}

/** The client's address, from a trusted proxy's fields or the connection. */
export function clientAddress(request: Request): string {
  return forwardingOf(request).client ?? request.connection.remoteAddress;
}

/** The network of the client's address, by which limits for each client count. */
export function clientNetworkOf(request: Request): string {
  return clientNetwork(clientAddress(request));
}

/**
 * Walks back from proxy to proxy. The client is the first address that is not trusted, or the farthest one reached,
 * after 100 hops at most. A hop without an address ends the walk: what precedes it may be spoofed by the client.
 *
 * If there is a Forwarded field (RFC 7239), even a malformed one, X-Forwarded-* is ignored. Otherwise a
 * client could send a malformed Forwarded to make its own X-Forwarded-For trusted.
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

/** From the nearest proxy, which is the last in the field. */
function* forwardedHops(value: string): Generator<Forwarding> {
  for (const element of parseForwarded(value)?.toReversed() ?? []) {
    yield hopOf(nodeAddress(element.get('for') ?? ''), element.get('proto'), element.get('host'));
  }
}

/** The same from X-Forwarded-For, with the values of -Proto and -Host at the same position if they have the same count. */
function* xForwardedHops(fields: FieldLines): Generator<Forwarding> {
  const nodes = membersOf(fields, 'x-forwarded-for');
  const schemes = membersOf(fields, 'x-forwarded-proto');
  const authorities = membersOf(fields, 'x-forwarded-host');
  if (nodes.length === 0) yield hopOf(undefined, schemes.at(-1), authorities.at(-1));
  const valueAt = (list: readonly string[], at: number): string | undefined => {
    if (list.length === nodes.length) return list[at];
    // Otherwise only the last value certainly belongs to the nearest proxy.
    return at === nodes.length - 1 ? list.at(-1) : undefined;
  };
  for (let at = nodes.length - 1; at >= 0; at--) {
    const node = nodes[at] ?? '';
    // IPv6 is bare here, or in brackets with a port.
    const address = canonicalAddress(node) ?? nodeAddress(node);
    yield hopOf(address, valueAt(schemes, at), valueAt(authorities, at));
  }
}

/** Invalid values are ignored. */
function hopOf(address: string | undefined, proto = '', host = ''): Forwarding {
  const scheme = proto.toLowerCase();
  return {
    client: address && unmapAddress(address),
    scheme: scheme === 'http' || scheme === 'https' ? scheme : undefined,
    authority: isAuthority(host) ? host : undefined,
  };
}

/** Not a list of RFC 9110: a quotation mark from a client must not hide what a proxy appends. */
function membersOf(fields: FieldLines, name: string): readonly string[] {
  const members = (fieldValue(fields, name) ?? '').split(',').map((member) => member.trim());
  return members.filter((member) => member !== '');
}
