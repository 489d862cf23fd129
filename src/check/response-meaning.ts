import { explainResponse } from '../echo/explain/message-fields.ts';
import type { ResponseMessage } from './message.ts';

/**
 * What the fields of a response mean by which what stands in front says what it did, such as Cache-Status: a text for
 * each. There are none without a response.
 */
export function meaningOf(
  response: Pick<ResponseMessage, 'fields' | 'trailers'> | undefined,
): readonly string[] {
  if (!response) return [];
  const [fields, trailers] = [response.fields.flat(), response.trailers.flat()];
  return explainResponse({ fields, trailers }, Math.floor(Date.now() / 1000));
}
