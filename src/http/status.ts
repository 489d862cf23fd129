/**
 * Whether a response with the status has no content, whatever the method (RFC 9110 6.4.1, 15.3.6).
 *
 * @param status of the final response: after 100 (Continue), for example, content may follow
 */
export function hasNoContent(status: number): boolean {
  return status === 204 || status === 205 || status === 304;
}

/**
 * Whether a response with the status carries no Content-Length (RFC 9110 8.6). 205 needs one: its
 * length is 0. That of 304 would be the length of the 200.
 */
export function hasNoLength(status: number): boolean {
  return hasNoContent(status) && status !== 205;
}
