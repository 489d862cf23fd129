/** Flow-control windows that the client gives the server, in bytes. */
export const WINDOW = 16 * 1024 * 1024;
/**
 * Bytes that a server may send before the client closes the connection, counted with the cost of each frame and its
 * fields. `isLarge` raises the limit.
 */
export const MAX_RECEIVED = 8 * 1024 * 1024;
export const FRAME_COST = 1024;
/** Size limit of a field block, counted like SETTINGS_MAX_HEADER_LIST_SIZE (RFC 9113 6.5.2). */
export const MAX_BLOCK = 1024 * 1024;

/** How an HTTP/2 client speaks. */
export interface Http2Options {
  readonly authority: string;
  readonly scheme: 'http' | 'https';
  /** Before each `:path`. Default: none. */
  readonly prefix?: string;
  /** Flow-control window of each stream in bytes, which is then not renewed. Default: 16 MiB, renewed. */
  readonly window?: number;
  /** Bytes of padding of each DATA and HEADERS frame, at most 255. Default: the frames are not padded. */
  readonly padding?: number;
}
