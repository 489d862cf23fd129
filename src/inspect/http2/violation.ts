/** What RFC 9113, or an RFC that it refers to, forbids either side to send. */
export interface Violation {
  /** What the error ends (RFC 9113 5.4). */
  readonly scope: 'connection' | 'stream';
  readonly reason: string;
  /** Such as `RFC 9113 6.5`. */
  readonly section: string;
  /** The name of the error code (RFC 9113 7) that the section asks for. */
  readonly code: string;
}

export function connectionError(
  section: string,
  reason: string,
  code = 'PROTOCOL_ERROR',
): Violation {
  return { scope: 'connection', reason, section, code };
}

export function streamError(section: string, reason: string, code = 'PROTOCOL_ERROR'): Violation {
  return { scope: 'stream', reason, section, code };
}
