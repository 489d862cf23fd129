/** Protocols of a load. `h2c` is HTTP/2 without TLS. */
export const PROTOCOLS = ['http/1.1', 'h2', 'h2c'] as const;
export type Protocol = (typeof PROTOCOLS)[number];
