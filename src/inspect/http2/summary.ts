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

/** The connection as a whole. */
export interface Http2Summary {
  readonly client: Http2DirectionSummary;
  readonly server: Http2DirectionSummary;
  /** Requests opened by the client. */
  readonly streams: number;
  readonly openStreams: number;
  readonly mostOpenStreams: number;
  /** Streams opened above the announced SETTINGS_MAX_CONCURRENT_STREAMS. */
  readonly aboveLimit: number;
  /** Streams that the server reset instead of serving a request. */
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
