import { expect, test } from 'vitest';
import { endpoint } from '../../src/server/endpoint.ts';
import { anyText, flag, int, optional } from '../../src/server/params.ts';
import { empty } from '../../src/server/reply.ts';
import { exampleTarget } from '../../src/pages/example.ts';
import { indexObject, indexPage } from '../../src/pages/index-page.ts';
import { escapeHtml } from '../../src/pages/page.ts';

const rest = { responses: {}, handle: () => empty(204) } as const;

const posted = endpoint({
  ...rest,
  id: 'posted',
  methods: ['POST'],
  path: '/posted',
  group: 'fields',
  summary: '<script>alert("&")</script>',
  params: {},
});
const wanted = endpoint({
  ...rest,
  id: 'wanted',
  methods: ['GET'],
  path: '/wanted/{n}/{text}',
  group: 'content',
  summary: 'Has everything.',
  params: { n: int({ min: 7, max: 9 }), text: anyText() },
  query: { must: anyText(), on: flag, may: optional(anyText(), 'x') },
});
const wild = endpoint({
  ...rest,
  id: 'wild',
  methods: 'any',
  path: '/wild/*path',
  group: 'echo',
  summary: 'Takes all.',
  params: { path: anyText() },
  curl: "curl -sS 'localhost:8080/wild/x?a&b'",
});

test('an example target has path parameters and required query parameters', () => {
  expect(exampleTarget(wanted)).toBe('/wanted/7/example?must=example');
  expect(exampleTarget(wild)).toBe('/wild/example');
  expect(exampleTarget(wanted, () => 'a b/ü')).toBe(
    '/wanted/a%20b%2F%C3%BC/a%20b%2F%C3%BC?must=a%20b%2F%C3%BC',
  );
  expect(exampleTarget(wild, () => 'a b/ü')).toBe('/wild/a%20b/%C3%BC');
});

test('groups are in order, and empty groups are left out', () => {
  const page = indexPage([posted, wanted, wild]);
  const titles = [...page.matchAll(/<h2>(.*?)<\/h2>/g)].map(([, title]) => title);
  expect(titles).toEqual(['Request echo', 'Content', 'Fields']);
});

test('endpoints with GET are links, and text is escaped', () => {
  const page = indexPage([posted, wanted, wild]);
  expect(page).toContain(
    '<a href="/wanted/7/example?must=example"><code>/wanted/{n}/{text}</code></a>',
  );
  expect(page).toContain('<a href="/wild/example">');
  expect(page).toContain('<li><code>/posted</code>');
  expect(page).not.toContain('<script');
  expect(page).toContain('&#60;script&#62;alert(&#34;&#38;&#34;)&#60;/script&#62;');
});

test('curl commands', () => {
  const page = indexPage([wild, posted]);
  expect(page.match(/<pre>.*?<\/pre>/g)).toEqual([
    '<pre>curl -sS &#39;localhost:8080/wild/x?a&#38;b&#39;</pre>',
  ]);
  expect(indexObject([wild, posted])['endpoints']).toEqual([
    expect.objectContaining({ curl: "curl -sS 'localhost:8080/wild/x?a&b'" }),
    expect.not.objectContaining({ curl: expect.anything() }),
  ]);
});

test.each([
  ['plain', 'plain'],
  [`<>&"'`, '&#60;&#62;&#38;&#34;&#39;'],
])('%s is escaped as %s', (text, html) => {
  expect(escapeHtml(text)).toBe(html);
});
