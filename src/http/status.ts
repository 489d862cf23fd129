/** The text beside each status in a status line (RFC 9112 4). */
export type ReasonPhrases = Readonly<Record<number, string | undefined>>;

/**
 * Whether responses with this status have no content, whatever the method (RFC 9110 6.4.1, 15.3.6).
 *
 * @param status of the final response: content may follow 100 (Continue), for example
 */
export function hasNoContent(status: number): boolean {
  return status === 204 || status === 205 || status === 304;
}

/**
 * Whether responses with this status carry no Content-Length (RFC 9110 8.6). 205 requires it: 0. That of 304 would be
 * the length of a 200 response.
 */
export function hasNoLength(status: number): boolean {
  return hasNoContent(status) && status !== 205;
}
