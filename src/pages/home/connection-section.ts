import { escapeHtml } from '../page.ts';

/** A group of facts about the page's own request. */
export interface FactGroup {
  readonly title: string;
  readonly facts: readonly Fact[];
  /** Note before the facts, or in place of them. */
  readonly note?: string;
}

export interface Fact {
  readonly label: string;
  /** Value, parts of which the client may have chosen: any text. */
  readonly value: string;
  /** Explanation as a sentence; empty without one. */
  readonly meaning: string;
}

/** The section about the page's own connection. */
export const CONNECTION = { id: 'connection', title: 'Your connection' };

/** The HTML of the section. */
export function connectionHtml(groups: readonly FactGroup[]): string {
  return `<p class="lead">What wirebin saw of the very request that brought this page.</p>
<div class="cards">
${groups.map(card).join('\n')}
</div>`;
}

function card({ title, facts, note }: FactGroup): string {
  const text = note === undefined ? '' : `<p>${escapeHtml(note)}</p>\n`;
  const list = facts.length === 0 ? '' : `<dl>\n${facts.map(row).join('\n')}\n</dl>\n`;
  // A group without explanations uses the full width.
  const kind = facts.length > 0 && facts.every(({ meaning }) => meaning === '') ? ' list' : '';
  return `<div class="card${kind}">
<h3>${escapeHtml(title)}</h3>
${text}${list}</div>`;
}

function row({ label, value, meaning }: Fact): string {
  const explained = meaning === '' ? '' : `<p>${escapeHtml(meaning)}</p>`;
  return `<div><dt>${shown(label)}</dt><dd><code>${shown(value)}</code>${explained}</dd></div>`;
}

/** Escapes text and shows control characters, most of which HTML cannot contain. */
function shown(text: string): string {
  return escapeHtml(
    text.replace(
      // oxlint-disable-next-line no-control-regex
      /[\0-\x1f\x7f-\x9f]/g,
      (character) => `\\x${character.charCodeAt(0).toString(16).padStart(2, '0')}`,
    ),
  );
}
