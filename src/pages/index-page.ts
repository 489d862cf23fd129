import { allowedMethods, hasPath, type Endpoint } from '../server/endpoint.ts';
import { VERSION } from '../version.ts';
import { exampleTarget } from './example.ts';
import { groupNames, groups } from './groups.ts';
import { escapeHtml, page } from './page.ts';

const OPENAPI = '/openapi.json';
const DOCS = '/docs';

/** What the index says of the service: in other dialects, the words of the original, which tests look for. */
export interface Presentation {
  readonly pageTitle: string;
  /** HTML. */
  readonly purpose: string;
}

export const PURPOSE =
  'An HTTP test service: it shows what really arrived and sends the responses you ask for.';
const OWN: Presentation = { pageTitle: 'wirebin', purpose: PURPOSE };

/** The index as HTML: all endpoints by group, with an example link if they allow GET. */
export function indexPage(endpoints: readonly Endpoint[], { pageTitle, purpose } = OWN): string {
  const sections = groupNames.flatMap((name) => {
    const members = endpoints.filter(({ group }) => group === name);
    if (members.length === 0) return [];
    const { title, description } = groups[name];
    return [
      `<section>
<h2>${escapeHtml(title)}</h2>
<p><small>${escapeHtml(description)}</small></p>
<ul>
${members.map(row).join('\n')}
</ul>
</section>`,
    ];
  });
  return page(
    pageTitle,
    `<h1>wirebin</h1>
<p>${purpose}</p>
<p><small>Version ${escapeHtml(VERSION)}${openApiLink(endpoints)}</small></p>
<main>
${sections.join('\n')}
</main>`,
  );
}

/** A link to the OpenAPI document; empty if that is disabled. */
function openApiLink(endpoints: readonly Endpoint[]): string {
  return hasPath(endpoints, OPENAPI) ? ` · <a href="${OPENAPI}">OpenAPI document</a>` : '';
}

function row(endpoint: Endpoint): string {
  const { path, summary, curl } = endpoint;
  const methods = endpoint.methods === 'any' ? 'any method' : endpoint.methods.join(', ');
  const code = `<code>${escapeHtml(path)}</code>`;
  const link = allowedMethods(endpoint.methods).includes('GET')
    ? `<a href="${escapeHtml(exampleTarget(endpoint))}">${code}</a>`
    : code;
  const command = curl === undefined ? '' : `<pre>${escapeHtml(curl)}</pre>`;
  return `<li>${link} <small>${methods}</small><p>${escapeHtml(summary)}</p>${command}</li>`;
}

/** The index as JSON. */
export function indexObject(endpoints: readonly Endpoint[]): Record<string, unknown> {
  return {
    name: 'wirebin',
    version: VERSION,
    ...(hasPath(endpoints, OPENAPI) && { openapi: OPENAPI }),
    ...(hasPath(endpoints, DOCS) && { docs: `${DOCS}/` }),
    endpoints: endpoints.map((endpoint) => ({
      id: endpoint.id,
      methods: allowedMethods(endpoint.methods),
      path: endpoint.path,
      group: endpoint.group,
      summary: endpoint.summary,
      example: exampleTarget(endpoint),
      ...(endpoint.curl !== undefined && { curl: endpoint.curl }),
    })),
  };
}
