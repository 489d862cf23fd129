import { canonicalAddress, unmapAddress } from '../http/ip-address.ts';
import type { Request } from './request.ts';
import { fieldValue, type FieldLines } from '../http/fields.ts';
import { nodeAddress, parseForwarded } from '../http/forwarded.ts';
import { isAuthority } from '../http/target.ts';

/** What trusted proxies say of the request as the client sent it; undefined is what they do not say. */
export interface Forwarding {
  /** The client's address. */
  readonly origin: string | undefined;
  readonly scheme: 'http' | 'https' | undefined;
  readonly authority: string | undefined;
}

const NOTHING: Forwarding = { origin: undefined, scheme: undefined, authority: undefined };

/** What the request's forwarding fields say, where the peer is a proxy that is trusted. */
export function forwardingOf({ fields, connection }: Request): Forwarding {
  const { trustedProxies } = connection;
  return trustedProxies ? readForwarding(fields, (it) => trustedProxies.has(it)) : NOTHING;
}

/**
 * Goes back from proxy to proxy, for as long as each was told of by one that is trusted: the client
 * is the first that is not trusted itself, or the last of all. Where one gave no address the way
 * ends: what stands before may be the client's invention.
 *
 * Forwarded (RFC 7239) alone counts where there is one, also one that cannot be read: else a client
 * could spoil it to have its own X-Forwarded-For believed.
 */
export function readForwarding(
  fields: FieldLines,
  trusts: (address: string) => boolean,
): Forwarding {
  const forwarded = fieldValue(fields, 'forwarded');
  const hops = forwarded === undefined ? olderHops(fields) : forwardedHops(forwarded);
  let { origin, scheme, authority } = NOTHING;
  for (const hop of hops.toReversed()) {
    scheme = hop.scheme ?? scheme;
    authority = hop.authority ?? authority;
    origin = hop.origin ?? origin;
    if (hop.origin === undefined || !trusts(hop.origin)) break;
  }
  return { origin, scheme, authority };
}

/** In the order of the fields: the nearest proxy's is the last. */
function forwardedHops(value: string): readonly Forwarding[] {
  const elements = parseForwarded(value) ?? [];
  return elements.map((element) =>
    hopOf(nodeAddress(element.get('for') ?? ''), element.get('proto'), element.get('host')),
  );
}

/** By X-Forwarded-For, with the members of -Proto and -Host beside it where they are as many. */
function olderHops(fields: FieldLines): readonly Forwarding[] {
  const nodes = membersOf(fields, 'x-forwarded-for');
  const schemes = membersOf(fields, 'x-forwarded-proto');
  const authorities = membersOf(fields, 'x-forwarded-host');
  if (nodes.length === 0) return [hopOf(undefined, schemes.at(-1), authorities.at(-1))];
  const beside = (list: readonly string[], at: number): string | undefined => {
    if (list.length === nodes.length) return list[at];
    // Else the last one alone is sure to be the nearest proxy's.
    return at === nodes.length - 1 ? list.at(-1) : undefined;
  };
  return nodes.map((node, at) =>
    // IPv6 comes bare here, and with a port in brackets.
    hopOf(
      canonicalAddress(node) ?? nodeAddress(node),
      beside(schemes, at),
      beside(authorities, at),
    ),
  );
}

/** What is not valid counts as not said. */
function hopOf(address: string | undefined, proto = '', host = ''): Forwarding {
  const scheme = proto.toLowerCase();
  return {
    origin: address && unmapAddress(address),
    scheme: scheme === 'http' || scheme === 'https' ? scheme : undefined,
    authority: isAuthority(host) ? host : undefined,
  };
}

function membersOf(fields: FieldLines, name: string): readonly string[] {
  const members = (fieldValue(fields, name) ?? '').split(',').map((member) => member.trim());
  return members.filter((member) => member !== '');
}
