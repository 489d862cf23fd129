/** Fields that Connection cannot remove, because the message needs them. */
export const KEPT = new Set([
  'host',
  'content-length',
  'transfer-encoding',
  'via',
  'x-wirebin-journal',
]);

/** Fields for one hop (RFC 9110 7.6.1), also if Connection does not list them. */
export const HOP_BY_HOP = [
  'connection',
  'keep-alive',
  'proxy-connection',
  'te',
  'transfer-encoding',
  'upgrade',
  'http2-settings',
];

/** Fields about the client that only the gateway may set. */
export const OF_GATEWAY = [
  'forwarded',
  'x-forwarded-for',
  'x-forwarded-proto',
  'x-forwarded-host',
  'x-real-ip',
  'client-cert',
  'client-cert-chain',
  'x-forwarded-client-cert',
  'x-ssl-client-cert',
  'x-ssl-client-verify',
  'x-ssl-client-s-dn',
];
