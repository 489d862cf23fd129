import { errorCodeName } from '../wire/http2/names.ts';

/** A field line: name and value, one character per byte. */
export type FieldLine = readonly [name: string, value: string];

/** A request as a check sends it. The client adds only what the protocol requires. */
export interface RequestMessage {
  /** Default: GET. */
  readonly method?: string;
  /** Path and query. */
  readonly target: string;
  /** Fields in addition to Host or `:authority`, and to those of the framing. */
  readonly fields?: readonly FieldLine[];
  /** Host, or `:authority`. Default: the authority of the target. */
  readonly authority?: string;
  readonly content?: string | Uint8Array;
  /** How HTTP/1.1 delimits the content. Default: Content-Length. HTTP/2 sends no content-length with `chunked`. */
  readonly framing?: 'length' | 'chunked';
  /** Sent after the content, which is then chunked. */
  readonly trailers?: readonly FieldLine[];
}

/** An interim or final response. */
export interface ResponseHead {
  readonly status: number;
  /** Without pseudo-header fields. */
  readonly fields: readonly FieldLine[];
}

export interface ResponseMessage extends ResponseHead {
  readonly content: Buffer;
  readonly trailers: readonly FieldLine[];
}

/**
 * How a response ended:
 *
 * - complete: as its framing says
 * - closed: the connection was closed before the end
 * - reset: by RST, or by RST_STREAM on HTTP/2
 * - goaway: HTTP/2: GOAWAY with an error code
 * - malformed: what came is no valid response
 * - timeout: nothing more came in time
 */
export type Ending = 'complete' | 'closed' | 'reset' | 'goaway' | 'malformed' | 'timeout';

/** A request and all that came back. */
export interface Transfer {
  /** The path below which the request was sent, without which the origin may have received it. */
  readonly prefix?: string;
  /** What was sent, as text: the bytes on HTTP/1.1, frames on HTTP/2. */
  readonly sent: string;
  /** What was received, as text: the bytes on HTTP/1.1, frames on HTTP/2. */
  readonly received: string;
  readonly interim: readonly ResponseHead[];
  /** The final response as far as it was received; undefined without a complete header section. */
  readonly response: ResponseMessage | undefined;
  readonly ending: Ending;
  /** HTTP/2: the error code of RST_STREAM or GOAWAY. */
  readonly errorCode?: number;
  /** Milliseconds from the request to the first byte of the final response, and to its end. */
  readonly firstByte: number | undefined;
  readonly duration: number;
  /** Whether the connection can be used for another request. */
  readonly isReusable: boolean;
}

/** The outcome in words: the status, and how the response ended if it is not complete. */
export function outcomeOf({ response, ending }: Transfer): string {
  if (!response) return `no response (${ending})`;
  const { status, content } = response;
  return ending === 'complete'
    ? String(status)
    : `${status} with ${content.length} bytes, then ${ending}`;
}

/** As `outcomeOf()`, but with the HTTP/2 error code if there is no response. */
export function endingOf(transfer: Transfer): string {
  const { response, ending, errorCode } = transfer;
  return response || errorCode === undefined
    ? outcomeOf(transfer)
    : `no response (${ending}, ${errorCodeName(errorCode)})`;
}

/** The values of a field, in order. Names are case-insensitive (RFC 9110 5.1). */
export function valuesOf(fields: readonly FieldLine[], name: string): string[] {
  const wanted = name.toLowerCase();
  return fields.filter(([each]) => each.toLowerCase() === wanted).map(([, value]) => value);
}

/** The first value of a field. */
export function valueOf(fields: readonly FieldLine[], name: string): string | undefined {
  return valuesOf(fields, name)[0];
}

/** The first value of a field of the response. */
export function responseField({ response }: Transfer, name: string): string | undefined {
  return response && valueOf(response.fields, name);
}

/** The elements of a field that is a list (RFC 9110 5.6.1), lower-case. */
export function listOf(fields: readonly FieldLine[], name: string): string[] {
  const elements = valuesOf(fields, name).flatMap((value) => value.split(','));
  return elements
    .map((element) => element.trim().toLowerCase())
    .filter((element) => element !== '');
}
