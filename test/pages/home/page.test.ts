import { brotliCompressSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { assetNames } from '../../../src/pages/home/assets.ts';
import { encoderFor } from '../../../src/http/codings.ts';
import { CONNECTION, connectionHtml } from '../../../src/pages/home/connection-section.ts';
import { homeDocument } from '../../../src/pages/home/document.ts';
import { endpointForm, MORE, TRY } from '../../../src/pages/home/endpoint-form.ts';
import { hourSection, reportsSection, tapSection } from '../../../src/pages/home/live-sections.ts';
import { homeText } from '../../../src/pages/home/text.ts';
import { trySection } from '../../../src/pages/home/try-section.ts';
import { endpoint, type Endpoint } from '../../../src/server/endpoint.ts';
import {
  anyText,
  flag,
  int,
  matching,
  oneOf,
  optional,
  repeated,
} from '../../../src/server/params.ts';
import { empty } from '../../../src/server/reply.ts';
import { connectionFacts } from '../../../src/endpoints/index/connection-facts.ts';
import { FakeExchange } from '../../_exchange.ts';
import { endpoints } from '../../_walk.ts';
import { readdirSync, readFileSync } from 'node:fs';

const MAX_BYTES = 45_000;
const BUILT = new URL('../../../dist/browser/', import.meta.url);

const sections = [
  trySection(endpoints),
  tapSection(['opened', 'closed'], true),
  hourSection(true),
  reportsSection,
];
const html = homeDocument(CONNECTION, {
  sections,
  assets: 'page/0/',
  instance: '<a>',
  hasOpenApi: true,
  hasDocs: true,
}).join(connectionHtml(connectionFacts(new FakeExchange('/'), true)));

test('the page may load each file that the build makes, also one that modules share', () => {
  const made = readdirSync(BUILT).filter((name) => /\.(?:js|css)$/.test(name));
  // `check` and `bench` write this one into their HTML reports.
  const notLoaded = ['html-report.css'];
  expect(made.toSorted()).toEqual([...assetNames, ...notLoaded].toSorted());
});

test('the page and all that it loads have at most 45,000 bytes, compressed', async () => {
  const files = assetNames.map((name) => {
    return brotliCompressSync(readFileSync(new URL(name, BUILT))).length;
  });
  const page = (await encoderFor('br')(html)).length;
  const total = files.reduce((sum, length) => sum + length, page);
  expect(total).toBeLessThanOrEqual(MAX_BYTES);
});

test('the page is well-formed: elements are closed in order, no id twice, labels have controls', () => {
  const open: string[] = [];
  for (const [, slash, name = '', last] of html.matchAll(/<(\/?)([a-z]\w*)\b[^>]*?(\/?)>/g)) {
    if (/^(?:meta|link|input)$/.test(name) || last === '/') continue;
    if (slash) expect(open.pop()).toBe(name);
    else open.push(name);
  }
  expect(open).toEqual([]);
  const ids = [...html.matchAll(/ id="([^"]*)"/g)].map(([, id]) => id);
  expect(ids.filter((id, at) => ids.indexOf(id) !== at)).toEqual([]);
  for (const [label] of html.matchAll(/<label>[^]*?<\/label>/g)) {
    expect(label.match(/<(?:input|select|textarea) /g)).toHaveLength(1);
  }
});

test('the instance is escaped', () => {
  expect(html).toContain('instance &#60;a&#62;');
});

test.each(endpoints.map((declaration) => [declaration.path, declaration] as const))(
  'the form of %s has each of its parameters',
  (_, declaration) => {
    const form = endpointForm(declaration);
    const names = [...form.matchAll(/ name="([^"]*)"/g)].map(([, name]) => name);
    const { params, query, additionalQuery } = declaration;
    const expected = [...Object.keys(params), ...Object.keys(query)];
    if (additionalQuery) expected.push(MORE);
    expect(names).toEqual(expect.arrayContaining(expected));
    // Otherwise a value would be taken for another one.
    if (declaration.id !== 'index') expect(expected).not.toContain(TRY);
    // Links have method, fields and content as -X, -H and -d.
    expect(expected.filter((name) => name.startsWith('-'))).toEqual([]);
    expect(new Set(expected).size).toBe(expected.length);
  },
);

const rest = {
  group: 'content',
  summary: 'Any.',
  responses: {},
  handle: () => empty(204),
} as const;

function formOf(query: Endpoint['query']): string {
  return endpointForm(endpoint({ ...rest, path: '/x', query }));
}

test.each([
  [
    'a number',
    int({ min: 1, max: 9 }),
    '<input name="x" required type="number" min="1" max="9" placeholder="1 to 9" value="5">',
  ],
  [
    'a default',
    optional(int({ min: 1, max: 9 }), 3),
    '<input name="x" type="number" min="1" max="9" placeholder="3">',
  ],
  ['a flag', flag, '<input name="x" type="checkbox" value="true">'],
  [
    'words',
    oneOf(['a', 'b']),
    '<select name="x" required><option selected>a</option><option>b</option></select>',
  ],
  [
    'optional words',
    optional(oneOf(['a', 'b']), 'b'),
    '<select name="x"><option value="">default: b</option><option>a</option><option>b</option></select>',
  ],
  [
    'text',
    optional(anyText('A "text".'), undefined),
    '<label><b>x</b><input name="x"><small>A &#34;text&#34;.</small></label>',
  ],
  [
    'an example',
    optional(matching(/^"/, 'is not quoted', { examples: ['"a"'] }), undefined),
    '<input name="x" placeholder="e.g. &#34;a&#34;">',
  ],
  [
    'a default beside an example',
    optional(matching(/^a/, 'is not of a', { examples: ['ab'] }), 'a'),
    '<input name="x" placeholder="a">',
  ],
  [
    'several values',
    repeated(matching(/^a/, 'is not of a', { examples: ['ab'] })),
    '<textarea name="x" rows="1" placeholder="e.g. ab"></textarea>',
  ],
])('a control for %s', (_, parameter, control) => {
  expect(formOf({ x: parameter })).toContain(control);
});

test('without scripts, what a form cannot send is not offered', () => {
  const put = endpointForm(endpoint({ ...rest, path: '/x', methods: ['PUT'] }));
  expect(put).toContain('<button disabled>');
  expect(put).toContain('<noscript>');
  const post = endpointForm(endpoint({ ...rest, path: '/x/y', methods: ['POST'] }));
  expect(post).toContain('<form action="x/y" method="post"');
  expect(post).not.toContain('<noscript>');
});

test('the form of an upgrade says that it gets 426', () => {
  const form = endpointForm(endpoint({ ...rest, path: '/x', methods: ['GET'], upgrade: 'other' }));
  expect(form).toContain('Forms cannot upgrade to other: expect 426.');
});

test('facts are escaped, and control characters visible', () => {
  const fact = { label: '<i>', value: '\0<script>\x1b', words: '"', meaning: 'a & b.' };
  const fields = { title: 'T', facts: [{ ...fact, isCopied: true }] };
  const shown = connectionHtml({ glance: [], curl: '<', details: [], fields });
  expect(shown).toContain(
    '<div data-copy="&#60;i&#62;"><dt>&#60;i&#62;</dt><dd><code>\\x00&#60;script&#62;\\x1b</code> <span>&#34;</span><p>a &#38; b.</p></dd>',
  );
});

test('the text names the instance, if there is one', () => {
  expect(homeText('http://a', undefined)).toMatch(/^wirebin [\d.]+\n/);
  expect(homeText('http://a', 'b')).toMatch(/^wirebin [\d.]+, instance b\n/);
});
