import { allowedMethods, hasPath, type Endpoint } from '../../server/endpoint.ts';
import type { QueryPairs } from '../../http/query.ts';
import { groupNames, groups } from '../groups.ts';
import { escapeHtml, marked } from '../page.ts';
import type { Section } from './document.ts';
import { endpointForm, MORE } from './endpoint-form.ts';

/** What is searched for but is no endpoint: pages of docs/. */
const TOPICS: readonly (readonly [page: string, text: string])[] = [
  ['grpc', 'gRPC and gRPC-Web'],
  ['endpoints#what-all-endpoints-have-in-common', 'CORS'],
  ['tls', 'client certificates (mTLS)'],
  ['behind-a-proxy', 'PROXY protocol, HTTP/3'],
  ['metrics', 'Prometheus'],
  ['chaos', 'chaos'],
];

/** The section with a form for every endpoint. */
export function trySection(endpoints: readonly Endpoint[]): Section {
  const hasDocs = hasPath(endpoints, '/docs');
  const parts = groupNames.flatMap((name) => {
    const members = endpoints.filter(({ group }) => group === name);
    if (members.length === 0) return [];
    const { title, description } = groups[name];
    const heading = hasDocs ? `<a href="docs/endpoints/${name}">${title}</a>` : title;
    return [
      `<div class="group">
<h3>${heading}</h3>
<p>${escapeHtml(description)}</p>
${members.map(entry).join('\n')}
</div>`,
    ];
  });
  const topics = TOPICS.map(([page, text]) => `<a href="docs/${page}">${text}</a>`).join(' ');
  return {
    id: 'try',
    title: 'Try it',
    html: `<p class="lead">Every endpoint of this service, with its parameters.</p>
${hasDocs ? `<p class="hint" id="topics">In the documentation: ${topics}</p>\n` : ''}${parts.join('\n')}`,
  };
}

function entry(endpoint: Endpoint): string {
  const { path, summary } = endpoint;
  const method = endpoint.methods === 'any' ? 'ANY' : endpoint.methods.join(' ');
  return `<details>
<summary><b>${method}</b> <code>${escapeHtml(path)}</code> <span>${marked(summary)}</span></summary>
${endpointForm(endpoint)}
</details>`;
}

/**
 * The target that a form describes, as relative reference; undefined if the endpoint does not exist, or has no GET.
 *
 * @param id of the endpoint
 * @param pairs names and values of the form; empty values are omitted
 */
export function tryTarget(
  endpoints: readonly Endpoint[],
  id: string,
  pairs: QueryPairs,
): string | undefined {
  const endpoint = endpoints.find((other) => other.id === id);
  if (!endpoint || !allowedMethods(endpoint.methods).includes('GET')) return undefined;
  const { path, query } = endpoint;
  const values = new Map(pairs);
  const filled = path.replace(/\{(\w+)\}|\*(\w+)/g, (_, name?: string, wildcard = '') => {
    const value = values.get(name ?? wildcard) ?? '';
    return name === undefined ? encodePath(value) : encodeURIComponent(value);
  });
  const parts = pairs
    .filter(([name]) => Object.hasOwn(query, name))
    // A form has the values of a repeated parameter as lines.
    .flatMap(([name, value]) => value.split(/\r?\n/).map((line) => [name, line] as const))
    .filter(([, value]) => value !== '')
    .map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`);
  const more = endpoint.additionalQuery && values.get(MORE);
  // The user may have percent-encoded some of the further parameters already.
  if (more) parts.push(encodeURI(more).replaceAll('%25', '%').replaceAll('#', '%23'));
  // Relative, because a proxy may serve the page below a path.
  return `./${filled.slice(1)}${parts.length === 0 ? '' : `?${parts.join('&')}`}`;
}

function encodePath(path: string): string {
  return encodeURI(path).replaceAll('?', '%3F').replaceAll('#', '%23');
}
