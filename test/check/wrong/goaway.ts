import { FrameType, uint32 } from '../../../src/wire/http2/frame.ts';
import { ignoringFrames, readingFrames, wrongLeg } from '../_wrong-leg.ts';
import type { WrongProxy } from '../_wrong.ts';

/** Gateways that get GOAWAY of the origin wrong. */
export const wrongGoaway: readonly WrongProxy[] = [
  ignoringFrames('ignores GOAWAY', ({ type }) => type === FrameType.goaway, {
    'goaway/new-streams': 'fail',
  }),
  readingFrames(
    'takes each GOAWAY for an error',
    (received) => {
      if (received.type !== FrameType.goaway) return received;
      const lastStream = received.payload.subarray(0, 4);
      return { ...received, payload: Buffer.concat([lastStream, uint32(2)]) };
    },
    { 'goaway/graceful': 'fail', 'goaway/last-stream': 'fail', 'goaway/open-streams': 'fail' },
  ),
  wrongLeg(
    'ends a response that is cut off',
    { endsTruncated: true },
    {
      'goaway/mid-stream': 'fail',
      'truncation/rst-stream': 'fail',
      'truncation/connection': 'fail',
      'truncation/data-short': 'fail',
      'grpc/cut-off': 'fail',
    },
  ),
  {
    ...wrongLeg(
      'sends again what was not processed',
      { replays: (content) => content },
      {
        'goaway/get-unprocessed': 'pass',
        'goaway/post-unprocessed': 'pass',
        'retry/refused-stream': 'differs',
      },
    ),
    isSilent: true,
  },
  {
    ...wrongLeg(
      'sends POST again without its content',
      { replays: () => Buffer.alloc(0) },
      {
        'goaway/get-unprocessed': 'pass',
        'goaway/post-unprocessed': 'fail',
        'retry/refused-stream': 'differs',
      },
    ),
    isSilent: true,
  },
];
