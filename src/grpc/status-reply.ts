import { fieldValue, MAX_REQUESTED_FIELDS, sectionSize } from '../http/fields.ts';
import type { Problem } from '../http/problem.ts';
import { empty, type Reply } from '../server/reply.ts';
import type { Request } from '../server/request.ts';
import { base64, encodeStatusMessage, writeMetadata, type Metadata } from '../wire/grpc/fields.ts';
import { GrpcStatus, statusOfHttp } from '../wire/grpc/status.ts';
import { flavorOf } from './flavor.ts';

/** Codings of messages in requests, and the field that names them. */
export const CODINGS: readonly string[] = ['identity', 'gzip'];
export const ACCEPTED = ['grpc-accept-encoding', CODINGS.join(',')] as const;

/** Characters of a status message that are sent. Each takes up to 9 bytes, and nghttp2 ends a session for 64 KiB. */
const MAX_MESSAGE = 2048;

/**
 * The end of a call as field lines, for a trailer section or, without messages, the header section. If they are too
 * large to be sent, RESOURCE_EXHAUSTED takes their place.
 */
export function trailerFields(status: GrpcStatus, metadata: Metadata): string[] {
  const fields = [...statusFields(status), ...writeMetadata(metadata)];
  const size = sectionSize(fields);
  return size > MAX_REQUESTED_FIELDS ? statusFields(tooLarge('trailers', size)) : fields;
}

/** The status of a call whose metadata cannot be sent. @param size in bytes (RFC 9113 6.5.2) */
export function tooLarge(what: string, size: number): GrpcStatus {
  const limit = `the maximum is ${MAX_REQUESTED_FIELDS}`;
  return new GrpcStatus('RESOURCE_EXHAUSTED', `the ${what} have ${size} bytes, ${limit}`);
}

function statusFields({ code, message, details }: GrpcStatus): string[] {
  return [
    'grpc-status',
    String(code),
    ...(message === '' ? [] : ['grpc-message', encodeStatusMessage(message.slice(0, MAX_MESSAGE))]),
    ...(details ? ['grpc-status-details-bin', base64(details)] : []),
  ];
}

/** The status of an error. */
export function statusOf({ status, message }: Problem): GrpcStatus {
  return new GrpcStatus(statusOfHttp(status), message);
}

/** A response that is only a status. @param httpStatus other than 200 for what is no call */
export function replyWithStatus(request: Request, status: GrpcStatus, httpStatus = 200): Reply {
  if (request.call) request.call.status = status.code;
  const type = flavorOf(fieldValue(request.fields, 'content-type'))?.contentType;
  const fields = ['content-type', type ?? 'application/grpc', ...statusFields(status), ...ACCEPTED];
  return empty(httpStatus, fields);
}
