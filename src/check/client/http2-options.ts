/** How an HTTP/2 client speaks. */
export interface Http2Options {
  readonly authority: string;
  readonly scheme: 'http' | 'https';
  /** Before each `:path`. Default: none. */
  readonly prefix?: string;
  /** Flow-control window of each stream in bytes, which is then not renewed. Default: 16 MiB, renewed. */
  readonly window?: number;
}
