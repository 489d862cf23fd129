import { blocking, breaking, type WrongProxy } from '../_wrong.ts';

const MIB = 1024 * 1024;
const BOTH = { 'backpressure/response': 'fail', 'backpressure/request': 'fail' } as const;

const ahead = (bytes: number): { readsAhead: number; readsRequestAhead: number } => ({
  readsAhead: bytes,
  readsRequestAhead: bytes,
});

/** Gateways that read more than they can send on. */
export const wrongBackpressure: readonly WrongProxy[] = [
  breaking('reads 64 MiB ahead', ahead(64 * MIB), BOTH),
  breaking('reads 16 MiB ahead', ahead(16 * MIB), BOTH),
  ...[1, 4].map((workers) =>
    blocking(
      `serves only ${workers} requests at once`,
      { workers },
      { 'backpressure/clients-unread': 'fail', 'backpressure/stream-unread': 'fail' },
    ),
  ),
];
