/** Escapes text for HTML content and quoted attributes. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

/** Escapes text for HTML, and marks up code in backticks. */
export function marked(text: string): string {
  return escapeHtml(text).replace(/`([^`]+)`/g, '<code>$1</code>');
}

// Pages are self-contained: no external resources, no scripts.
const STYLE = `
:root { color-scheme: light dark; --line: #8884; --soft: #767676; }
@media (prefers-color-scheme: dark) { :root { --soft: #9a9a9a; } }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 1.5rem 1rem 4rem; max-width: 48rem;
  font: 1rem/1.5 system-ui, sans-serif; overflow-wrap: anywhere; }
h1 { margin: 0; font-size: 1.6rem; }
h2 { margin: 2rem 0 0.25rem; font-size: 1.1rem; }
p { margin: 0.25rem 0; }
ul { margin: 0; padding: 0; list-style: none; }
li { padding: 0.5rem 0; border-top: 1px solid var(--line); }
code, pre { font: 0.95em ui-monospace, monospace; }
pre { margin: 0.25rem 0; white-space: pre-wrap; }
small { color: var(--soft); }
a { color: inherit; }
`;

/**
 * Creates a complete, self-contained HTML document.
 *
 * @param title plain text
 * @param body HTML
 */
export function page(title: string, body: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>
<style>${STYLE}</style>
</head>
<body>
${body}
</body>
</html>
`;
}
