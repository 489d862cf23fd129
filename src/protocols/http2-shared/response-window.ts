import type { TcpConnection } from '../../net/tcp-connection.ts';
import type { Window } from '../../server/pump.ts';

const KiB = 1024;
/** Maximum bytes of created pieces queued per stream. Small, because all 250 streams of a session may be slow. */
const OWN = 32 * KiB;
/** Maximum bytes of shared pieces queued by a session whose streams begin together. */
const SHARED = 8 * 1024 * KiB;
/** Maximum bytes of shared pieces queued per stream. */
const MAX_SHARED = 1024 * KiB;
/** Replaces MAX_SHARED over TLS, which copies what it encrypts. */
const MAX_SHARED_TLS = 128 * KiB;

/** The window of a response. Large pieces are cheap, but Node limits what a session queues for all its streams. */
export function responseWindow({ requests, tls }: TcpConnection): Window {
  const max = tls ? MAX_SHARED_TLS : MAX_SHARED;
  return { own: OWN, shared: Math.min(max, Math.ceil(SHARED / requests.open)), joins: true };
}
