import { BlockList, isIP, SocketAddress } from 'node:net';

/** The family of an IP address for BlockList; undefined for other text. */
function familyOf(text: string): 'ipv4' | 'ipv6' | undefined {
  const family = isIP(text);
  // No zone identifiers (RFC 4007 11), which have a meaning on one machine only.
  if (family === 0 || text.includes('%')) return undefined;
  return family === 4 ? 'ipv4' : 'ipv6';
}

/** The canonical text form of an IP address (RFC 5952); undefined for other text. */
export function canonicalAddress(text: string): string | undefined {
  const family = familyOf(text);
  return (
    family && (family === 'ipv4' ? text : new SocketAddress({ address: text, family }).address)
  );
}

/** Formats an IPv4 (4 bytes) or IPv6 (16 bytes) address. */
export function formatAddress(bytes: Uint8Array): string {
  if (bytes.length === 4) return bytes.join('.');
  const address = Buffer.from(bytes)
    .toString('hex')
    .replace(/.{4}(?=.)/g, '$&:');
  return new SocketAddress({ address, family: 'ipv6' }).address;
}

/** The 4 or 16 bytes of a valid address, without a zone identifier. */
export function addressBytes(address: string): Buffer {
  if (!address.includes(':')) return Buffer.from(address.split('.').map(Number));
  const [left = [], right = []] = address.replace(/%.*/, '').split('::').map(groups);
  const missing = 16 - left.length - right.length;
  return Buffer.from([...left, ...Buffer.alloc(Math.max(0, missing)), ...right]);
}

/** The bytes of groups in an IPv6 address, of which the last may be an IPv4 address (RFC 4291 2.2). */
function groups(text: string): number[] {
  if (text === '') return [];
  return text.split(':').flatMap((group) => {
    if (group.includes('.')) return group.split('.').map(Number);
    const value = Number.parseInt(group, 16);
    return [value >> 8, value & 0xff];
  });
}

/** Converts the IPv4-mapped IPv6 address of a dual-stack socket to IPv4 (RFC 4291 2.5.5.2). */
export function unmapAddress(address: string): string {
  return address.replace(/^::ffff:(?=\d+\.)/, '');
}

/**
 * The network that is assumed to be one client: an IPv4 address, or the /64 of an IPv6 address, in which hosts choose
 * their own addresses (RFC 4291 2.5.1, RFC 8981). Other text is unchanged.
 */
export function clientNetwork(address: string): string {
  const canonical = canonicalAddress(address);
  if (!canonical?.includes(':')) return address;
  const bytes = addressBytes(canonical);
  const network = [0, 2, 4, 6].map((at) => bytes.readUInt16BE(at).toString(16));
  return `${network.join(':')}::/64`;
}

/** Formats an address and port as a URI authority (RFC 3986 3.2.2). */
export function hostPort(address: string, port: number): string {
  return address.includes(':') ? `[${address}]:${port}` : `${address}:${port}`;
}

/** URI authority by which a listening address is reached from this machine: localhost for `::` and `0.0.0.0`. */
export function localAuthority(address: string, port: number): string {
  const isUnspecified = address === '::' || address === '0.0.0.0';
  return hostPort(isUnspecified ? 'localhost' : address, port);
}

const ADDRESS_BITS = { ipv4: 32, ipv6: 128 } as const;

/** A set of address ranges. */
export class Networks {
  // Separate lists: in a common one, ::/0 would include 1.2.3.4.
  readonly #lists = { ipv4: new BlockList(), ipv6: new BlockList() };

  /**
   * Adds a range in CIDR notation (RFC 4632 3.1, RFC 4291 2.3), or a single address. Bits after the prefix are ignored.
   *
   * @returns false if the text is neither
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

  /** @param address must not be IPv4-mapped: see `unmapAddress` */
  has(address: string): boolean {
    const family = familyOf(address);
    return family !== undefined && this.#lists[family].check(address, family);
  }
}
