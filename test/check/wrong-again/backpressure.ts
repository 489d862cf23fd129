import { blocking, wrong, type WrongProxy } from '../_wrong.ts';

const MIB = 1024 * 1024;
const BOTH = { 'backpressure/response': 'fail', 'backpressure/request': 'fail' } as const;

const ahead = (bytes: number): { readsAhead: number; readsRequestAhead: number } => ({
  readsAhead: bytes,
  readsRequestAhead: bytes,
});

/** Gateways that read more than they can send on. */
export const wrongBackpressure: readonly WrongProxy[] = [
  wrong('reads 64 MiB ahead', BOTH, ahead(64 * MIB)),
  wrong('reads 16 MiB ahead', BOTH, ahead(16 * MIB)),
  ...[1, 4].map((workers) =>
    blocking(
      `serves only ${workers} requests at once`,
      ['backpressure/clients-unread', 'backpressure/stream-unread'],
      { workers },
    ),
  ),
];
