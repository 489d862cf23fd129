import type { NamedKey } from '../../http/message-signatures/verification-key.ts';
import type { Request } from '../../server/request.ts';
import type { CheckedDigests } from '../digest-check.ts';
import type { ExplainedField } from '../explained-schema.ts';
import { explainFields } from './message-fields.ts';
import { explainSignatures } from './signatures.ts';

/**
 * The explanation of each structured field of a request, in the order in which they arrived, and of its signatures.
 *
 * @param digests of the request, checked; undefined if it has none
 * @param key for signatures, beside the example keys of RFC 9421
 * @throws AbortError if the client disconnects
 */
export async function explainRequest(
  request: Request,
  digests: CheckedDigests | undefined,
  key: NamedKey | undefined,
): Promise<readonly ExplainedField[]> {
  const now = Math.floor(Date.now() / 1000);
  const fields = explainFields(request, digests, now);
  const at = fields.findIndex(hasSignatures);
  const input = fields[at];
  if (!input) return fields;
  const signatures = await explainSignatures(request, key, now);
  return fields.with(at, { ...input, signatures });
}

function hasSignatures({ field, section, value }: ExplainedField): boolean {
  return field === 'Signature-Input' && section === 'header' && value !== null;
}
