import { FrameType, uint32 } from '../../../src/wire/http2/frame.ts';
import { ignoringFrames, readingFrames, wrongLeg } from '../_wrong-leg.ts';
import type { WrongProxy } from '../_wrong.ts';

/** Gateways that get GOAWAY of the origin wrong. */
export const wrongGoaway: readonly WrongProxy[] = [
  ignoringFrames('ignores GOAWAY', 'goaway/new-streams', ({ type }) => type === FrameType.goaway),
  readingFrames(
    'takes each GOAWAY for an error',
    ['goaway/graceful', 'goaway/last-stream', 'goaway/open-streams'],
    (received) => {
      if (received.type !== FrameType.goaway) return received;
      const lastStream = received.payload.subarray(0, 4);
      return { ...received, payload: Buffer.concat([lastStream, uint32(2)]) };
    },
  ),
  wrongLeg(
    'ends a response that is cut off',
    {
      'goaway/mid-stream': 'fail',
      'truncation/rst-stream': 'fail',
      'truncation/connection': 'fail',
      'truncation/data-short': 'fail',
      'grpc/cut-off': 'fail',
      // It drops Content-Length, and waits for the end of the stream.
      'grpc/early-status': 'differs',
    },
    { endsTruncated: true },
  ),
  {
    ...wrongLeg(
      'sends again what was not processed',
      {
        'goaway/get-unprocessed': 'pass',
        'goaway/post-unprocessed': 'pass',
        'retry/refused-stream': 'differs',
      },
      { replays: (content) => content },
    ),
    isSilent: true,
  },
  {
    ...wrongLeg(
      'sends POST again without its content',
      {
        'goaway/get-unprocessed': 'pass',
        'goaway/post-unprocessed': 'fail',
        'retry/refused-stream': 'differs',
      },
      { replays: () => Buffer.alloc(0) },
    ),
    isSilent: true,
  },
];
