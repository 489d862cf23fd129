import { escapeHtml } from '../page.ts';

/** What the page says of its own request. */
export interface ConnectionFacts {
  /** What most want to know, in a line each. */
  readonly glance: readonly Fact[];
  /** A curl line for the echo of a connection as JSON; undefined if that endpoint is off. */
  readonly curl: string | undefined;
  readonly details: readonly FactGroup[];
  /** The header section, without explanations. */
  readonly fields: FactGroup;
}

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
  /** What the value says in other words, beside it. */
  readonly words?: string;
  /** Explanation as a sentence, shown on demand; empty without one. */
  readonly meaning: string;
  /** Whether it is something to copy, such as a fingerprint. */
  readonly isCopied?: boolean;
}

/** The section about the page's own connection. */
export const CONNECTION = { id: 'connection', title: 'Your connection' };

/** The HTML of the section. The style sheet shows explanations while the box is checked: it needs no script. */
export function connectionHtml({ glance, curl, details, fields }: ConnectionFacts): string {
  return `<div class="lead"><p>What wirebin saw of the request that brought this page.</p>
<label><input type="checkbox" id="explain"> Explain</label></div>
<div class="facts">
${card({ title: 'At a glance', facts: glance }, curl === undefined ? '' : asJson(curl))}
<div>
${details.map((group) => card(group)).join('\n')}
</div>
${card(fields)}
</div>`;
}

function asJson(curl: string): string {
  return `<p>The same as JSON: <a href="anything">/anything</a> for this browser; curl has its own:</p>
<div class="curl" data-copy="curl line"><pre><code>${shown(curl)}</code></pre></div>
`;
}

/** @param end HTML after the facts */
function card({ title, facts, note }: FactGroup, end = ''): string {
  const text = note === undefined ? '' : `<p>${escapeHtml(note)}</p>\n`;
  const list = facts.length === 0 ? '' : `<dl>\n${facts.map(row).join('\n')}\n</dl>\n`;
  return `<div class="card">
<h3>${escapeHtml(title)}</h3>
${text}${list}${end}</div>`;
}

function row({ label, value, words, meaning, isCopied = false }: Fact): string {
  const beside = words === undefined ? '' : ` <span>${escapeHtml(words)}</span>`;
  const explained = meaning === '' ? '' : `<p>${escapeHtml(meaning)}</p>`;
  const copied = isCopied ? ` data-copy="${escapeHtml(label)}"` : '';
  return `<div${copied}><dt>${shown(label)}</dt><dd><code>${shown(value)}</code>${beside}${explained}</dd></div>`;
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
