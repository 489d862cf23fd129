import { VERSION } from '../../version.ts';
import { escapeHtml } from '../page.ts';

/** A section of the page, to which the navigation links as `#id`. */
export interface Section {
  readonly id: string;
  readonly title: string;
  /** HTML after the heading. */
  readonly html: string;
}

interface Home {
  /** Sections after the first one. */
  readonly sections: readonly Section[];
  /** Relative reference to style sheet and modules, ending with a slash. */
  readonly assets: string;
  readonly instance: string | undefined;
  /** Whether `openapi.json` exists. */
  readonly hasOpenApi: boolean;
  /** Whether `docs/` exists. */
  readonly hasDocs: boolean;
}

/** Content-Security-Policy: nothing from elsewhere, nothing inline, no HTML from text, no frame around the page. */
export const HOME_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  'img-src data:',
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ');

/** Icon as data URL, because browsers would otherwise request /favicon.ico. */
const ICON =
  'data:image/svg+xml,' +
  encodeURIComponent(
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><rect width="16" height="16" rx="4" fill="#0b63b5"/><path d="M3 5l2 6 3-5 3 5 2-6" fill="none" stroke="#fff" stroke-width="1.6"/></svg>',
  );

/** Placeholder that no other HTML contains. */
const PLACE = '\0';

/**
 * The page at `/`, in two parts around the HTML of its first section, which differs for each request. All references
 * are relative, because a proxy may serve the page below a path.
 */
export function homeDocument(
  first: Omit<Section, 'html'>,
  { sections, ...others }: Home,
): readonly [before: string, after: string] {
  const all = [{ ...first, html: PLACE }, ...sections];
  const [before = '', after = ''] = documentOf({ sections: all, ...others }).split(PLACE);
  return [before, after];
}

function documentOf({ sections, assets, instance, hasOpenApi, hasDocs }: Home): string {
  const links = sections.map(({ id, title }) => `<a href="#${id}">${escapeHtml(title)}</a>`);
  const name = instance === undefined ? '' : ` <span>instance ${escapeHtml(instance)}</span>`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>wirebin</title>
<link rel="icon" href="${ICON}">
<link rel="stylesheet" href="${assets}page.css">
<script type="module" src="${assets}main.js"></script>
</head>
<body>
<a class="skip" href="#${sections[0]?.id}">Skip to content</a>
<header>
<h1>wirebin</h1>
<p class="tagline">Shows what really arrived, and sends the responses you ask for.</p>
<p class="meta"><span>version ${escapeHtml(VERSION)}</span>${name}${hasDocs ? ' <a href="docs/">Docs</a>' : ''}${hasOpenApi ? ' <a href="openapi.json">OpenAPI</a>' : ''}</p>
<nav aria-label="Parts of the page">${links.join('')}</nav>
</header>
<main>
${sections.map(section).join('\n')}
</main>
</body>
</html>
`;
}

function section({ id, title, html }: Section): string {
  return `<section class="part" id="${id}" aria-labelledby="${id}-title" tabindex="-1" spellcheck="false">
<h2 id="${id}-title">${escapeHtml(title)}</h2>
${html}
</section>`;
}
