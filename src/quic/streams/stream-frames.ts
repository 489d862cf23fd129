import type { FrameOf } from '../../wire/quic/frames.ts';

export type StreamFrame = FrameOf<'stream'>;
export type ResetStreamFrame = FrameOf<'reset-stream'>;
export type StopSendingFrame = FrameOf<'stop-sending'>;
export type MaxStreamDataFrame = FrameOf<'max-stream-data'>;

/** Frames about one stream. */
export type FrameOnStream =
  | StreamFrame
  | ResetStreamFrame
  | StopSendingFrame
  | MaxStreamDataFrame
  | FrameOf<'stream-data-blocked'>;

/** Frames about streams: RFC 9000 19.4, 19.5 and 19.8 to 19.14. */
export type AnyStreamFrame =
  | FrameOnStream
  | FrameOf<'max-data' | 'data-blocked' | 'max-streams' | 'streams-blocked'>;
