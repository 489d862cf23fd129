import { wrong, type WrongProxy } from '../_wrong.ts';

const DRAIN = { 'drain/requests': 'fail' } as const;
export const wrongDrainAgain: readonly WrongProxy[] = [
  wrong('cuts off responses of an origin that is not ready', 'drain/open-requests', {
    whileDraining: { cuts: true },
  }),
  wrong(
    'ends responses of an origin that is not ready as if they were complete',
    'drain/open-requests',
    { whileDraining: { cuts: true }, endsTruncated: true },
  ),
  wrong('answers 503 while the origin is not ready', DRAIN, { whileDraining: { status: 503 } }),
  wrong('answers 200 while the origin is not ready', DRAIN, { whileDraining: { status: 200 } }),
  wrong('answers 503 for 10 s after the origin was closed', DRAIN, { breaksCircuitFor: 10_000 }),
  wrong(
    'answers 503 for 2 s after the origin was closed',
    { 'drain/requests': 'flaky' },
    { breaksCircuitFor: 2000 },
  ),
];
