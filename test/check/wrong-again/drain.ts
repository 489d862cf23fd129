import { breaking, type WrongProxy } from '../_wrong.ts';

const DRAIN = { 'drain/requests': 'fail' } as const;
export const wrongDrainAgain: readonly WrongProxy[] = [
  breaking(
    'cuts off responses of an origin that is not ready',
    { whileDraining: { cuts: true } },
    { 'drain/open-requests': 'fail' },
  ),
  breaking(
    'ends responses of an origin that is not ready as if they were complete',
    { whileDraining: { cuts: true }, endsTruncated: true },
    { 'drain/open-requests': 'fail' },
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
