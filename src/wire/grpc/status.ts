/** Status codes of gRPC (grpc/grpc doc/statuscodes.md), in the order of their numbers. */
const NAMES = [
  'OK',
  'CANCELLED',
  'UNKNOWN',
  'INVALID_ARGUMENT',
  'DEADLINE_EXCEEDED',
  'NOT_FOUND',
  'ALREADY_EXISTS',
  'PERMISSION_DENIED',
  'RESOURCE_EXHAUSTED',
  'FAILED_PRECONDITION',
  'ABORTED',
  'OUT_OF_RANGE',
  'UNIMPLEMENTED',
  'INTERNAL',
  'UNAVAILABLE',
  'DATA_LOSS',
  'UNAUTHENTICATED',
] as const;
export type StatusName = (typeof NAMES)[number];

/** The number of a status. */
export function codeOf(name: StatusName): number {
  return NAMES.indexOf(name);
}

/** The name of a status code; undefined for unknown codes. */
export function nameOf(code: number): StatusName | undefined {
  return NAMES[code];
}

/** The name of a status code, or its number if it has none. */
export function statusText(code: number): string {
  return NAMES[code] ?? String(code);
}

/** The end of a call. Handlers throw it for every status but OK. */
export class GrpcStatus extends Error {
  readonly code: number;
  /** A serialized google.rpc.Status, sent as `grpc-status-details-bin`. */
  readonly details: Uint8Array | undefined;

  /** @param code a number is sent as it is, even if no status has it */
  constructor(code: StatusName | number, message = '', details?: Uint8Array) {
    super(message);
    this.code = typeof code === 'number' ? code : codeOf(code);
    this.details = details;
  }
}

/**
 * The status of a response that has none (grpc/grpc doc/http-grpc-status-mapping.md), and, beyond that table, of HTTP
 * statuses that say more.
 */
export function statusOfHttp(status: number): StatusName {
  switch (status) {
    case 400:
    case 500:
      return 'INTERNAL';
    case 401:
      return 'UNAUTHENTICATED';
    case 403:
      return 'PERMISSION_DENIED';
    case 404:
      return 'UNIMPLEMENTED';
    case 408:
      return 'DEADLINE_EXCEEDED';
    case 413:
    case 431:
      return 'RESOURCE_EXHAUSTED';
    case 429:
    case 502:
    case 503:
    case 504:
      return 'UNAVAILABLE';
    default:
      return 'UNKNOWN';
  }
}
