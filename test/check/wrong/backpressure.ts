import { blocking, differs, wrong, type WrongProxy } from '../_wrong.ts';
import { HTTP2_ORIGIN } from '../_wrong-leg.ts';
import { POOLED } from './idle.ts';

/** Gateways that buffer without bounds, or let those that do not read block others. */
export const wrongBackpressure: readonly WrongProxy[] = [
  wrong('collects a large response before it sends it', differs('h2 backpressure/response'), {
    waitsForResponse: ({ framing }) => typeof framing === 'object' && framing.length > 5_000_000,
  }),
  wrong('collects an upload before it forwards it', differs('backpressure/request'), {
    waitsForRequest: ({ target }) => target.startsWith('/fault/no-read'),
  }),
  blocking(
    'stops reading a connection while one of its uploads is not read',
    'backpressure/stream-upload',
    { uploadBlocks: true },
  ),
  blocking(
    'reads nothing of a connection after 20,000 bytes of content',
    ['backpressure/frames-read', 'backpressure/stream-upload'],
    { frames: { readsContent: 20_000 } },
  ),
  blocking(
    'stops all streams of a connection while one is not read',
    'backpressure/stream-unread',
    { unreadBlocks: 'connection' },
  ),
  blocking(
    'stops all clients while one does not read',
    ['backpressure/stream-unread', 'backpressure/clients-unread'],
    { unreadBlocks: 'all' },
  ),
  {
    ...blocking(
      'has one connection to the origin',
      { 'backend/parallel': 'differs', 'backpressure/clients-unread': 'fail' },
      {},
    ),
    pool: { maxConnections: 1 },
    setup: POOLED,
  },
  {
    ...blocking(
      'stops reading the connection to the origin while a large response is not read',
      'backpressure/clients-unread',
      {},
    ),
    leg: { holdsAbove: 5_000_000 },
    setup: HTTP2_ORIGIN,
  },
  {
    ...wrong(
      'keeps a connection to the origin whose upload it has not finished',
      'backend/unfinished',
      {},
    ),
    pool: { unfinished: 'kept' },
    setup: POOLED,
  },
  {
    ...wrong(
      'closes a connection to the origin whose upload it does not finish',
      { 'backend/unfinished': 'pass' },
      {},
    ),
    pool: { unfinished: 'closed' },
    setup: POOLED,
  },
  {
    ...wrong(
      'opens a connection for each request',
      {
        'backend/sequential': 'differs',
        'idle/stale-get': 'not-applicable',
        'idle/stale-post': 'not-applicable',
      },
      {},
    ),
    pool: { keepsAlive: false },
    setup: POOLED,
  },
];
