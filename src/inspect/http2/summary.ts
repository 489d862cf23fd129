import type { Sender } from '../protocol-reader.ts';
import type { Http2DirectionSummary } from './direction.ts';
import type { Violation } from './violation.ts';

/** A GOAWAY as sent. */
export interface Goaway {
  readonly from: Sender;
  readonly at: number;
  readonly lastStream: number;
  readonly code: string;
  readonly debugData: string;
}

/** Summary of a connection. */
export interface Http2Summary {
  readonly client: Http2DirectionSummary;
  readonly server: Http2DirectionSummary;
  /** Number of streams that the client has opened. */
  readonly streams: number;
  readonly openStreams: number;
  readonly mostOpenStreams: number;
  /** Number of streams opened above the announced SETTINGS_MAX_CONCURRENT_STREAMS. */
  readonly aboveLimit: number;
  /** Number of streams that the server reset instead of serving a request. */
  readonly rejected: number;
  /** Number of streams whose frames are no longer kept. */
  readonly streamsLeftOut: number;
  readonly framesLeftOut: number;
  /**
   * The client's first error that should end the connection. nghttp2 tolerates some, such as a stream id below the last
   * one. What it did is in `goaway`.
   */
  readonly connectionError: Violation | undefined;
  /** The first GOAWAY frames. */
  readonly goaway: readonly Goaway[];
  readonly goawayLeftOut: number;
}
