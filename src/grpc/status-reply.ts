import { fieldValue } from '../http/fields.ts';
import type { Problem } from '../http/problem.ts';
import { empty, type Reply } from '../server/reply.ts';
import type { Request } from '../server/request.ts';
import { base64, encodeStatusMessage } from '../wire/grpc/fields.ts';
import { GrpcStatus, statusOfHttp } from '../wire/grpc/status.ts';
import { flavorOf } from './flavor.ts';

/** The field that names the codings of requests. */
export const ACCEPTED = ['grpc-accept-encoding', 'identity,gzip'] as const;

/** A status as field lines, for a trailer section or, without messages, the header section. */
export function statusFields({ code, message, details }: GrpcStatus): string[] {
  return [
    'grpc-status',
    String(code),
    ...(message === '' ? [] : ['grpc-message', encodeStatusMessage(message)]),
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
