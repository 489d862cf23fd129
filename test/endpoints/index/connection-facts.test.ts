import { expect, test } from 'vitest';
import { connectionFacts } from '../../../src/endpoints/index/connection-facts.ts';
import { everywhere } from '../../_everywhere.ts';
import { FakeExchange } from '../../_exchange.ts';
import { isHttp2, isSecure } from '../../_client.ts';

function unescaped(html: string): string {
  return html.replace(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code)));
}

/** The facts of a page, by label. */
function factsOf(html: string): Map<string, string> {
  const rows = html.matchAll(/<dt>([^<]*)<\/dt><dd><code>([^<]*)<\/code>/g);
  return new Map(Array.from(rows, ([, label = '', value = '']) => [label, unescaped(value)]));
}

everywhere(({ client, transport }) => {
  test('the page says what the echo says of the same connection', async () => {
    const headers = { accept: 'text/html', 'x-case': 'Kept' };
    const page = await client().request('/', { headers });
    const facts = factsOf(page.body.toString());
    const answer = await client().request('/get');
    const { conn, tls, http2 } = JSON.parse(answer.body.toString()) as {
      conn: Record<string, number | string>;
      tls?: Record<string, string>;
      http2?: Record<string, string>;
    };
    expect(facts.get('Protocol')).toBe(transport);
    expect(facts.get('Connection number')).toBe(conn['id']);
    expect(facts.get('Request on it')).toBe(String(Number(conn['request']) - 1));
    expect(facts.get('Server')).toBe(conn['local']);
    expect(facts.get('Peer')).toBe(conn['remote']);
    expect(facts.get('x-case')).toBe('Kept');
    expect(facts.get('Stream')).toBe(
      isHttp2(transport) ? String(Number(conn['stream']) - 2) : undefined,
    );
    expect(facts.get('TLS')).toBe(tls?.['version'] ?? 'none');
    expect(facts.get('JA4')).toBe(tls?.['ja4']);
    expect(facts.get('JA3')).toBe(tls?.['ja3_hash']);
    expect(facts.get('JA3N')).toBe(tls?.['ja3n_hash']);
    expect(facts.has('JA4')).toBe(isSecure(transport));
    expect(facts.get('Address')).toBe(conn['remote']?.toString().replace(/:\d+$/, ''));
    expect(facts.get('Akamai HTTP/2')).toBe(http2?.['akamai_fingerprint'] ?? 'none');
    expect(facts.get('Akamai MD5')).toBe(http2?.['akamai_fingerprint_hash']);
  });
});

/** Facts of a request with these fields. */
function groupsOf(...fields: string[]) {
  const {
    glance,
    details,
    fields: section,
  } = connectionFacts(new FakeExchange('/', { fields }), true);
  return [{ title: 'At a glance', facts: glance, note: undefined }, ...details, section];
}

function group(title: string, fields: readonly string[]) {
  return groupsOf(...fields).find((other) => other.title === title);
}

test('each fact but the header fields has a sentence', () => {
  for (const { title, facts } of groupsOf('Via', '1.1 a').slice(0, -1)) {
    for (const { label, meaning } of facts) expect(`${title} ${label} ${meaning}`).toMatch(/\.$/);
  }
});

test('fields of proxies are shown, with whether they are believed', () => {
  expect(group('Proxies', [])?.note).toContain('no PROXY header');
  const proxies = group('Proxies', ['Forwarded', 'for=1.2.3.4', 'X-Other', '1', 'via', '1.1 a']);
  expect(proxies?.note).toContain('not believed');
  expect(proxies?.facts.map(({ label, value }) => [label, value])).toEqual([
    ['Forwarded', 'for=1.2.3.4'],
    ['via', '1.1 a'],
  ]);
});

test('header fields are as sent: order, case, repetition', () => {
  const facts = group('Header fields', ['B', '2', 'a', '1', 'B', '3'])?.facts;
  expect(facts?.map(({ label, value }) => [label, value])).toEqual([
    ['B', '2'],
    ['a', '1'],
    ['B', '3'],
  ]);
});

/** What is said of TLS in cleartext. */
function advice(...fields: string[]) {
  return groupsOf(...fields)[0]?.facts.find(({ label }) => label === 'TLS')?.words;
}

test('in cleartext behind a proxy, a proxy may have terminated TLS', () => {
  expect(advice('X-Request-Id', '1')).toContain('try https');
  for (const fields of [
    ['X-Forwarded-Proto', 'https'],
    ['via', '1.1 a'],
  ]) {
    expect(advice(...fields)).toContain('the proxy may have terminated TLS');
    expect(group('Proxies', fields)?.note).toContain('wirebin check');
  }
});

test('what is copied: identifiers of requests, and no other field', () => {
  const facts = group('Proxies', ['X-Request-Id', '1', 'Via', '1.1 a'])?.facts ?? [];
  expect(facts.filter(({ isCopied }) => isCopied).map(({ label }) => label)).toEqual([
    'X-Request-Id',
  ]);
});

test('the curl line is quoted for a shell, and there is none without /anything', () => {
  const request = new FakeExchange('/', { fields: ['Host', "a';b"] });
  expect(connectionFacts(request, true).curl).toBe(String.raw`curl 'http://a'\'';b/anything'`);
  expect(connectionFacts(request, false).curl).toBeUndefined();
});
