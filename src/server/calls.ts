import { fieldValue } from '../http/fields.ts';
import type { Request } from './request.ts';

/** Whether a request is a gRPC call, by its Content-Type. */
export function isCall({ fields }: Request): boolean {
  return fieldValue(fields, 'content-type')?.startsWith('application/grpc') ?? false;
}

/** Whether a request is a gRPC call, or may be the preflight of one (Fetch). */
export function mayBeCall(request: Request): boolean {
  const { method, fields } = request;
  if (method !== 'OPTIONS') return isCall(request);
  return fieldValue(fields, 'access-control-request-method') === 'POST';
}
