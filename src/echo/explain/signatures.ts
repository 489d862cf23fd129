import { fieldValue } from '../../http/fields.ts';
import { chooseAlgorithm, signatureProblem } from '../../http/message-signatures/algorithms.ts';
import { SignatureBases } from '../../http/message-signatures/base.ts';
import { exampleKey } from '../../http/message-signatures/example-keys.ts';
import type { NamedKey } from '../../http/message-signatures/verification-key.ts';
import { parametersJson } from '../../http/structured-field-json.ts';
import {
  isInnerList,
  parseDictionary,
  serializeMember,
  type InnerList,
  type Member,
} from '../../http/structured-fields.ts';
import { inThread } from '../../server/request-cost.ts';
import type { Request } from '../../server/request.ts';
import type { ExplainedSignature } from '../explained-schema.ts';
import { EXPLAIN_BOUNDS } from './bounds.ts';
import { Notes } from './notes.ts';
import { describeSignatureParameters, stringOf } from './signature-parameters.ts';
import { signedMessage } from './signed-message.ts';
import { checkWebBotAuth } from './web-bot-auth.ts';

/**
 * Explains and verifies the signatures of a header section (RFC 9421), the first eight of them.
 *
 * @param given the key that the request names; otherwise only the example keys of RFC 9421 are known
 * @throws AbortError if the client disconnects
 */
export async function explainSignatures(
  request: Request,
  given: NamedKey | undefined,
  now: number,
): Promise<readonly ExplainedSignature[]> {
  const { fields } = request;
  const inputs = parseDictionary(fieldValue(fields, 'signature-input') ?? '') ?? [];
  const signatures = parseDictionary(fieldValue(fields, 'signature') ?? '');
  const agent = fieldValue(fields, 'signature-agent');
  const bases = new SignatureBases(signedMessage(request));
  const explained: ExplainedSignature[] = [];
  let characters: number = EXPLAIN_BOUNDS.bases;
  for (const [label, input] of inputs) {
    if (!isInnerList(input)) continue;
    if (explained.length === EXPLAIN_BOUNDS.signatures) break;
    const made = bases.baseOf(input, { components: EXPLAIN_BOUNDS.components, characters });
    const base = 'base' in made ? made.base : null;
    characters -= base?.length ?? 0;
    const key = keyOf(input, given);
    const verdict =
      'reason' in made
        ? { verified: null, reason: `there is no signature base: ${made.reason}` }
        : await verified(request, made.base, input, signatures?.get(label), key);
    const notes = notesOn(request, label, input, { agent, now, key: key?.key });
    explained.push({
      label,
      components: input.items.slice(0, EXPLAIN_BOUNDS.components).map(serializeMember),
      parameters: Object.fromEntries(parametersJson(input.parameters)),
      base,
      ...verdict,
      key: key?.source,
      meaning: notes.meaning,
      problems: notes.problems,
    });
  }
  return explained;
}

interface KnownKey {
  readonly key: NamedKey;
  /** Where the key comes from. */
  readonly source: string;
  readonly usual: string | undefined;
}

function keyOf(input: InnerList, given: NamedKey | undefined): KnownKey | undefined {
  if (given) return { key: given, source: 'signature_key in the query', usual: undefined };
  const example = exampleKey(stringOf(input.parameters, 'keyid') ?? '');
  if (!example) return undefined;
  const { name, section, usual } = example;
  const source = `${name}, an example key of RFC 9421 ${section}, with which anyone can sign`;
  return { key: example, source, usual };
}

type Verdict = Pick<ExplainedSignature, 'verified' | 'reason'>;

async function verified(
  request: Request,
  base: string,
  input: InnerList,
  signature: Member | undefined,
  known: KnownKey | undefined,
): Promise<Verdict> {
  if (!signature || isInnerList(signature) || signature.value.type !== 'bytes') {
    return { verified: false, reason: 'Signature has no byte sequence with this label' };
  }
  if (!known) {
    const reason =
      'the key is unknown: wirebin knows the example keys of RFC 9421 B.1, and the key in signature_key';
    return { verified: null, reason };
  }
  const alg = stringOf(input.parameters, 'alg') ?? known.usual;
  const chosen = chooseAlgorithm(alg, known.key);
  if ('reason' in chosen) return { verified: false, reason: chosen.reason };
  const { value } = signature.value;
  const reason = await inThread(request, () =>
    signatureProblem(chosen.algorithm, known.key, base, value),
  );
  return reason === undefined ? { verified: true } : { verified: false, reason };
}

interface Facts {
  readonly agent: string | undefined;
  readonly now: number;
  readonly key: NamedKey | undefined;
}

function notesOn(request: Request, label: string, input: InnerList, facts: Facts): Notes {
  const notes = new Notes();
  describeSignatureParameters(notes, label, input.parameters, facts.now);
  checkWebBotAuth(notes, { label, input, ...facts });
  checkCoverage(notes, request, input);
  return notes;
}

/** RFC 9421 7.2.1 and 7.2.8. */
function checkCoverage(notes: Notes, request: Request, { items }: InnerList): void {
  const covered = items.map(({ value }) => value.value);
  if (covered.length === 0) {
    notes.problem('No component is covered: it fits any request (RFC 9421 7.2.1).');
  } else if (request.hasBody && !covered.some((name) => DIGESTS.has(String(name)))) {
    notes.problem('The content is not covered: cover Content-Digest (RFC 9421 7.2.8).');
  }
}

const DIGESTS = new Set(['content-digest', 'repr-digest']);
