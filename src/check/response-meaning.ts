import { explainResponse } from '../echo/explain/message-fields.ts';
import type { ResponseMessage } from './message.ts';

/** Explains Cache-Status and other fields that intermediaries add: one text each, none without a response. */
export function meaningOf(
  response: Pick<ResponseMessage, 'fields' | 'trailers'> | undefined,
): readonly string[] {
  if (!response) return [];
  const [fields, trailers] = [response.fields.flat(), response.trailers.flat()];
  return explainResponse({ fields, trailers }, Math.floor(Date.now() / 1000));
}
