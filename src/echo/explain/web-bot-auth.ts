import type { NamedKey } from '../../http/message-signatures/verification-key.ts';
import {
  isInnerList,
  parseDictionary,
  parseItem,
  type InnerList,
  type Item,
} from '../../http/structured-fields.ts';
import { integerOf, stringOf } from './signature-parameters.ts';
import { quoted, type Notes } from './notes.ts';

const TAG = 'web-bot-auth';
const THUMBPRINT = /^[\w-]{43}$/;
const DAY = 86_400;
const REQUIRED = ['created', 'expires', 'keyid'];

/** A signature whose rules are checked. */
interface Signed {
  readonly label: string;
  readonly input: InnerList;
  /** The Signature-Agent field; undefined without one. */
  readonly agent: string | undefined;
  readonly key: NamedKey | undefined;
}

/** Checks the rules of Web Bot Auth (draft-ietf-webbotauth-httpsig-protocol-00 5.2), if the tag says that it is one. */
export function checkWebBotAuth(notes: Notes, { label, input, agent, key }: Signed): void {
  const { parameters } = input;
  if (stringOf(parameters, 'tag') !== TAG) return;
  notes.means(
    'It identifies an automated client (Web Bot Auth, draft-ietf-webbotauth-httpsig-protocol).',
  );
  if (!covers(input, '@authority') && !covers(input, '@target-uri')) {
    notes.problem('Web Bot Auth: @authority or @target-uri has to be covered.');
  }
  for (const name of REQUIRED.filter((each) => !parameters.has(each))) {
    notes.problem(`Web Bot Auth: ${name} is required.`);
  }
  const created = integerOf(parameters, 'created');
  const expires = integerOf(parameters, 'expires');
  if (created !== undefined && expires !== undefined && expires - created > DAY) {
    notes.problem('Web Bot Auth: it should expire within 24 hours.');
  }
  checkKey(notes, stringOf(parameters, 'keyid'), key);
  checkAgent(notes, label, input, agent);
}

function checkKey(notes: Notes, keyid: string | undefined, key: NamedKey | undefined): void {
  if (keyid !== undefined && !THUMBPRINT.test(keyid)) {
    notes.problem(
      'Web Bot Auth: keyid has to be the SHA-256 thumbprint of a JSON Web Key in base64url (RFC 7638).',
    );
  } else if (keyid !== undefined && key && keyid !== key.thumbprint) {
    notes.problem(`Web Bot Auth: keyid is not the thumbprint of the key, ${key.thumbprint}.`);
  }
  if (key?.key.type === 'secret') notes.problem('Web Bot Auth: shared secrets must not be used.');
}

function checkAgent(
  notes: Notes,
  label: string,
  input: InnerList,
  agent: string | undefined,
): void {
  if (agent === undefined) {
    notes.problem('Web Bot Auth: Signature-Agent is missing.');
    return;
  }
  const isLegacy = agent.startsWith('"');
  const member = isLegacy ? parseItem(agent) : parseDictionary(agent)?.get(label);
  if (!member || isInnerList(member) || member.value.type !== 'string') {
    notes.problem(`Web Bot Auth: Signature-Agent has no member ${quoted(label)} that is a string.`);
    return;
  }
  notes.means(
    `Signature-Agent names ${quoted(member.value.value)} as the source of the keys: wirebin does not fetch them, since it opens no connections.`,
  );
  const isCovered = input.items.some((item) => coversAgent(item, label, isLegacy));
  if (!isCovered) {
    const component = `"signature-agent"${isLegacy ? '' : `;key="${label}"`}`;
    notes.problem(`Web Bot Auth: ${component} has to be covered.`);
  }
}

function coversAgent({ value, parameters }: Item, label: string, isLegacy: boolean): boolean {
  if (value.value !== 'signature-agent') return false;
  return isLegacy || parameters.size === 0 || stringOf(parameters, 'key') === label;
}

function covers(input: InnerList, name: string): boolean {
  return input.items.some(({ value, parameters }) => value.value === name && parameters.size === 0);
}
