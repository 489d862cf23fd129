import type { Frame } from '../../wire/quic/frames.ts';

type FrameOf<Kind extends Frame['kind']> = Extract<Frame, { readonly kind: Kind }>;

export type StreamFrame = FrameOf<'stream'>;
export type ResetStreamFrame = FrameOf<'reset-stream'>;
export type StopSendingFrame = FrameOf<'stop-sending'>;
export type MaxStreamDataFrame = FrameOf<'max-stream-data'>;

/** Frames for one stream. */
export type FrameOnStream =
  | StreamFrame
  | ResetStreamFrame
  | StopSendingFrame
  | MaxStreamDataFrame
  | FrameOf<'stream-data-blocked'>;

/** Frames about streams. */
export type AnyStreamFrame =
  | FrameOnStream
  | FrameOf<'max-data' | 'data-blocked' | 'max-streams' | 'streams-blocked'>;
