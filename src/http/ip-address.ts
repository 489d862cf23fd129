import { BlockList, isIP, SocketAddress } from 'node:net';

/** The family of an IP address as Node's lists want it; undefined for any other text. */
function familyOf(text: string): 'ipv4' | 'ipv6' | undefined {
  const family = isIP(text);
  // A zone (RFC 4007 11) is one machine's name for a link of its own.
  if (family === 0 || text.includes('%')) return undefined;
  return family === 4 ? 'ipv4' : 'ipv6';
}

/** An IP address in its one text form (RFC 5952); undefined for any other text. */
export function canonicalAddress(text: string): string | undefined {
  const family = familyOf(text);
  return (
    family && (family === 'ipv4' ? text : new SocketAddress({ address: text, family }).address)
  );
}

/** The text form of the four or sixteen bytes of an address. */
export function formatAddress(bytes: Uint8Array): string {
  if (bytes.length === 4) return bytes.join('.');
  const address = Buffer.from(bytes)
    .toString('hex')
    .replace(/.{4}(?=.)/g, '$&:');
  return new SocketAddress({ address, family: 'ipv6' }).address;
}

/** An address without the `::ffff:` that an IPv4 one has on a dual-stack socket (RFC 4291 2.5.5.2). */
export function unmapAddress(address: string): string {
  return address.replace(/^::ffff:(?=\d+\.)/, '');
}

/** An address and port as a URI authority writes them (RFC 3986 3.2.2). */
export function hostPort(address: string, port: number): string {
  return address.includes(':') ? `[${address}]:${port}` : `${address}:${port}`;
}

/** Where this machine reaches what listens at an address, `::` and `0.0.0.0` among them. */
export function localAuthority(address: string, port: number): string {
  const everywhere = address === '::' || address === '0.0.0.0';
  return hostPort(everywhere ? 'localhost' : address, port);
}

const ADDRESS_BITS = { ipv4: 32, ipv6: 128 } as const;

/** Ranges of addresses. */
export class Networks {
  // One list would take 1.2.3.4 for a part of ::/0.
  readonly #lists = { ipv4: new BlockList(), ipv6: new BlockList() };

  /**
   * Adds a range in CIDR notation (RFC 4632 3.1, RFC 4291 2.3), or one address. Bits behind the
   * prefix do not count.
   *
   * @returns whether the text is one
   */
  add(text: string): boolean {
    const [address = '', length, ...rest] = text.split('/');
    const family = familyOf(address);
    if (!family || rest.length > 0) return false;
    const prefix = length ?? String(ADDRESS_BITS[family]);
    if (!/^(?:0|[1-9]\d{0,2})$/.test(prefix) || Number(prefix) > ADDRESS_BITS[family]) return false;
    this.#lists[family].addSubnet(address, Number(prefix), family);
    return true;
  }

  /** @param address of which an IPv4 one is plain, as `plainAddress` gives it */
  has(address: string): boolean {
    const family = familyOf(address);
    return family !== undefined && this.#lists[family].check(address, family);
  }
}
