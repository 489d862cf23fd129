import type { Direction } from './frame-violations.ts';
import type { SideSummary } from './side.ts';
import type { Violation } from './violation.ts';

/** A GOAWAY as sent. */
export interface Goaway {
  readonly from: Direction;
  readonly at: number;
  readonly lastStream: number;
  readonly code: string;
  readonly debugData: string;
}

/** The connection as a whole. */
export interface Http2Summary {
  readonly client: SideSummary;
  readonly server: SideSummary;
  /** Requests opened by the client. */
  readonly streams: number;
  readonly openStreams: number;
  readonly mostOpenStreams: number;
  /** Streams opened above the announced SETTINGS_MAX_CONCURRENT_STREAMS. */
  readonly aboveLimit: number;
  /** Requests that the server refused. */
  readonly rejected: number;
  /** Streams whose frames are no longer kept. */
  readonly streamsLeftOut: number;
  readonly framesLeftOut: number;
  /**
   * The first error of the client that should end the connection. nghttp2 tolerates some, such as a
   * stream identifier below the last one; `goaway` has what it did.
   */
  readonly connectionError: Violation | undefined;
  /** The first ones. */
  readonly goaway: readonly Goaway[];
  readonly goawayLeftOut: number;
}
