import { breaking, breaks, type WrongProxy } from '../_wrong.ts';

const DRAIN = { 'drain/requests': 'fail' } as const;
export const wrongDrainAgain: readonly WrongProxy[] = [
  breaks('cuts off responses of an origin that is not ready', 'drain/open-requests', {
    whileDraining: { cuts: true },
  }),
  breaks(
    'ends responses of an origin that is not ready as if they were complete',
    'drain/open-requests',
    { whileDraining: { cuts: true }, endsTruncated: true },
  ),
  breaking('answers 503 while the origin is not ready', { whileDraining: { status: 503 } }, DRAIN),
  breaking('answers 200 while the origin is not ready', { whileDraining: { status: 200 } }, DRAIN),
  breaking('answers 503 for 10 s after the origin was closed', { breaksCircuitFor: 10_000 }, DRAIN),
  breaking(
    'answers 503 for 2 s after the origin was closed',
    { breaksCircuitFor: 2000 },
    { 'drain/requests': 'flaky' },
  ),
];
