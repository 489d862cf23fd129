import { readFileSync } from 'node:fs';
import { allEndpoints, completeState } from '../src/endpoints/all.ts';
import { exampleTarget } from '../src/pages/example.ts';
import { groupNames, groups } from '../src/pages/groups.ts';
import type { Endpoint, Group, ResponseDoc } from '../src/server/endpoint.ts';
import { DURATION_FORM } from '../src/server/params.ts';
import { BYTES_TYPE } from '../src/server/reply.ts';
import { defaultText, type JsonSchema } from '../src/server/schema.ts';
import { anchorOf, code, table } from './markdown.ts';

const endpoints = allEndpoints(completeState);

/** Pages of docs/ that explain what a group does. */
const explainedBy: Readonly<Record<Group, readonly string[]>> = {
  echo: ['echo.md', 'inspect.md', 'http2-fields.md'],
  content: [],
  authentication: [],
  timing: [],
  redirects: [],
  cookies: [],
  fields: ['respond.md'],
  faults: ['faults.md', 'journal.md'],
  operations: ['tap.md', 'journal.md', 'metrics.md', 'instances.md', 'inspect.md', 'errors.md'],
};

/** Values for the settings that take one. */
const settingValues: Readonly<Record<string, string>> = {
  '--control': '--control token',
  '--env-prefix': '--env-prefix WIREBIN_',
};

/** The list of all endpoints, each with a link to its section. */
export function endpointIndex(): string {
  const lists = groupNames.map((group) => {
    const items = endpointsOf(group).map((endpoint) => {
      const [sentence = ''] = endpoint.summary.replaceAll(/ \(RFC [^)]*\)/g, '').split(/(?<=\.) /);
      return `- [${code(endpoint.path)}](endpoints/${group}.md${fragmentOf(endpoint)}): ${sentence}${offBy(endpoint)}`;
    });
    const { title, description } = groups[group];
    return `\n### [${title}](endpoints/${group}.md)\n\n${description}\n\n${items.join('\n')}\n`;
  });
  return lists.join('');
}

/** The whole text of each page in docs/endpoints/, by its path. */
export function endpointPages(): Record<string, string> {
  return Object.fromEntries(
    groupNames.map((group) => [`docs/endpoints/${group}.md`, groupPage(group)]),
  );
}

function groupPage(group: Group): string {
  const members = endpointsOf(group);
  const { title, description } = groups[group];
  const more = explainedBy[group].map((page) => `[${titleOf(page)}](../${page})`);
  const links = members.map((member) => {
    const fragment = fragmentOf(member);
    return fragment === '' ? code(member.path) : `[${code(member.path)}](${fragment})`;
  });
  return `# Endpoints: ${lowerCaseFirst(title)}

<!-- Written by \`npm run docs\` from the declarations in src/endpoints/. -->

${description} [Endpoints](../endpoints.md) has all groups, and
[what they have in common](../endpoints.md#what-all-endpoints-have-in-common).${more.length > 0 ? `\nMore: ${more.join(', ')}.` : ''}

${links.join(' · ')}

${members.map(endpointSection).join('\n')}`;
}

function endpointSection(endpoint: Endpoint): string {
  const { path, methods, summary } = endpoint;
  const which = methods === 'any' ? 'Any method' : methods.join(', ');
  const parts = [
    `## ${code(path)}\n`,
    `${which}. ${summary}${offBy(endpoint)}\n`,
    `    ${commandOf(endpoint)}\n`,
    parameterTable(endpoint).trimStart(),
    responseList(endpoint),
  ];
  return parts.filter((part) => part !== '').join('\n');
}

function endpointsOf(group: Group): readonly Endpoint[] {
  return endpoints.filter((endpoint) => endpoint.group === group);
}

/** The reference to the section of an endpoint; empty for `/`, whose heading gets no anchor. */
export function fragmentOf({ path }: Endpoint): string {
  const anchor = anchorOf(path);
  return anchor === '' ? '' : `#${anchor}`;
}

/** Which setting the endpoint needs: without it, the path is 404. */
function offBy({ setting }: Endpoint): string {
  return setting === undefined ? '' : ` Off without ${code(setting)}.`;
}

/** The declared command, or one that is made of the example. */
function commandOf(endpoint: Endpoint): string {
  const { curl, setting } = endpoint;
  const command = curl ?? madeCommand(endpoint);
  return setting === undefined
    ? command
    : `# with ${settingValues[setting] ?? setting}\n    ${command}`;
}

function madeCommand(endpoint: Endpoint): string {
  const { upgrade, setting } = endpoint;
  const url = `localhost:8080${exampleTarget(endpoint)}`;
  if (upgrade !== undefined) return `npx wscat -c ws://${url}`;
  const options = [...methodOptions(endpoint), ...outputOptions(endpoint)];
  if (setting === '--control') options.push("-H 'Authorization: Bearer token'");
  const quoted = /[^\w./:%=,-]/.test(url) ? `'${url}'` : url;
  const command = ['curl', ...options, quoted].join(' ');
  return isBytes(endpoint) ? `${command} | od -c` : command;
}

function methodOptions({ methods, content }: Endpoint): string[] {
  if (methods === 'any' || methods.includes('GET')) return [];
  const [method] = methods;
  const request = method === 'POST' && content !== false ? [] : [`-X ${method}`];
  return content === false ? request : [...request, '-d hello'];
}

/** Shows the head where that is the point, and streams as they come. */
function outputOptions(endpoint: Endpoint): string[] {
  if (isBytes(endpoint)) return ['-s'];
  const { group, responses } = endpoint;
  const whole = responses[200];
  const types = whole?.content ?? [];
  if (whole?.fields?.['Content-Encoding']?.startsWith('Always')) return ['-I'];
  if (types.some((type) => type.startsWith('image/'))) return ['-I'];
  const isAboutHead = group === 'fields' || responses[302] !== undefined;
  if (isAboutHead || types.length === 0 || responses[500] !== undefined) return ['-i'];
  return types.some((type) => /event-stream|ndjson/.test(type)) ? ['-N'] : [];
}

function isBytes({ responses }: Endpoint): boolean {
  return responses[200]?.content?.join(',') === BYTES_TYPE;
}

function parameterTable({ params, query, additionalQuery }: Endpoint): string {
  const inPath = Object.entries(params).map(([name, { schema }]) => [
    code(`{${name}}`),
    valuesOf(schema),
    '',
    descriptionOf(schema),
  ]);
  const inQuery = Object.entries(query).map(([name, { schema, required }]) => [
    code(name),
    valuesOf(schema),
    required ? 'required' : defaultText(schema),
    descriptionOf(schema),
  ]);
  const others = additionalQuery ? [['any other', 'string', '', additionalQuery.description]] : [];
  return table(
    ['Parameter', 'Value', 'Default', 'Description'],
    [...inPath, ...inQuery, ...others],
  );
}

function descriptionOf({ description = '' }: JsonSchema): string {
  return description.replace(` ${DURATION_FORM}`, '');
}

/** What a parameter may be, in short. */
function valuesOf(schema: JsonSchema): string {
  const { type, enum: words, minimum, maximum, anyOf, items } = schema;
  if (anyOf?.some((choice) => choice.type === 'boolean')) return 'flag';
  if (anyOf && type === undefined) return anyOf.map(valuesOf).join(' or ');
  if (words) return words.map(String).map(code).join(', ');
  if (items) return valuesOf(items);
  const isDuration = schema.description?.includes(DURATION_FORM);
  const kind = isDuration ? 'duration' : String(type ?? '');
  if (minimum !== undefined && maximum !== undefined)
    return `${kind}, ${minimum} to ${maximum}${isDuration ? ' s' : ''}`;
  return kind;
}

/** The documented responses; statuses with the same description share a line. */
function responseList({ responses }: Endpoint): string {
  const documented = Object.entries(responses).filter(
    (entry): entry is [string, ResponseDoc] => entry[1] !== undefined,
  );
  const hasRanges = documented.some(([status]) => status === '416');
  const ofRanges = hasRanges ? documented.filter(([status]) => RANGE_STATUSES.has(status)) : [];
  const statuses = new Map<string, string[]>();
  for (const entry of documented) {
    if (ofRanges.includes(entry)) continue;
    const text = responseText(entry[1]);
    statuses.set(text, [...(statuses.get(text) ?? []), entry[0]]);
  }
  const lines = Array.from(statuses, ([text, codes]) => {
    // 2XX includes 204, which is apart only because it has no content.
    const listed = codes.filter(
      (each) => each.endsWith('XX') || !codes.includes(each.replace(/\d\d$/, 'XX')),
    );
    return `- ${listed.map(code).join(', ')}: ${text}`;
  });
  if (hasRanges) {
    const codes = ofRanges.map(([status]) => code(status));
    lines.push(`- ${codes.join(', ')}: Range and conditional requests.`);
  }
  return lines.length === 0 ? '' : `${lines.join('\n')}\n`;
}

const RANGE_STATUSES = new Set(['206', '304', '412', '416']);

function responseText({ description, fields = {} }: ResponseDoc): string {
  const names = Object.keys(fields).map(code);
  return names.length === 0 ? description : `${description} Fields: ${names.join(', ')}.`;
}

function titleOf(page: string): string {
  return /^# (.*)$/m.exec(readFileSync(`docs/${page}`, 'utf8'))?.[1] ?? page;
}

function lowerCaseFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}
