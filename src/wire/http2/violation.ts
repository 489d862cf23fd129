/** A rule of RFC 9113 or RFC 9114, or of an RFC that they refer to, that a side has broken. */
export interface Violation {
  /** What the error ends: the connection or only the stream (RFC 9113 5.4, RFC 9114 8). */
  readonly scope: 'connection' | 'stream';
  readonly reason: string;
  /** The broken rule, such as `RFC 9113 6.5`. */
  readonly section: string;
  /** The name of the error code (RFC 9113 7, RFC 9114 8.1) that the section prescribes. */
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

/** Whether a violation leads to an error code. REFUSED_STREAM may be that of a stream above the limit (RFC 9113 5.1.2). */
export function leadsTo({ section, code }: Violation, sent: string): boolean {
  return sent === code || (sent === 'REFUSED_STREAM' && section === 'RFC 9113 5.1.2');
}
