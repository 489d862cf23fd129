import { describe, expect, test } from 'vitest';
import { outcomeOf, type Outcome } from '../_ending.ts';
import { sharedPlace } from '../_everywhere.ts';
import { exchange, GET, LAST, POST } from '../_raw.ts';

const LENGTH = 10_240;
const ALPHABET = 'abcdefghijklmnopqrstuvwxyz';
const CONTENT = ALPHABET.repeat(400).slice(0, LENGTH);

const { running } = sharedPlace('http/1.1');

/** Header section and the rest. */
function split({ received }: Outcome): [head: string, content: string] {
  const end = received.indexOf('\r\n\r\n') + 4;
  return end < 4 ? [received, ''] : [received.slice(0, end), received.slice(end)];
}

describe.each([
  ['in clear', false],
  ['over TLS', true],
])('%s', (_, isSecure) => {
  const ask = (path: string, fields = '') =>
    outcomeOf(running().port, GET(`/fault/${path}`, fields), isSecure);
  const FIN = { ending: 'FIN', closeNotify: isSecure ? true : undefined };
  const endings: [kind: string, ending: object][] = [
    ['close', FIN],
    ['reset', { ending: 'RST', closeNotify: isSecure ? false : undefined }],
    ['reset?for=0.05&', { ending: 'RST', closeNotify: isSecure ? false : undefined }],
    ['stall?for=0.05&', FIN],
  ];
  if (isSecure) endings.push(['truncate-tls', { ending: 'FIN', closeNotify: false }]);

  describe.each(endings)('%s', (kind, ending) => {
    const fail = (query: string) => ask(kind.includes('?') ? kind + query : `${kind}?${query}`);

    test('at=start: no byte', async () => {
      expect(await fail('at=start')).toEqual({ received: '', ...ending });
    });

    test('at=headers: half of the header section', async () => {
      const outcome = await fail('at=headers');
      expect(outcome).toMatchObject(ending);
      expect(outcome.received).toMatch(/^HTTP\/1\.1 200 OK\r\nContent-Type: text\/plain/);
      expect(outcome.received).not.toContain('\r\n\r\n');
    });

    test.each([
      ['', LENGTH / 2],
      ['after=0', 0],
      ['after=1', 1],
      ['after=100%', LENGTH],
      ['after=25%25', LENGTH / 4],
      ['length=1000000&after=999999', 999_999],
    ])('at=body %s: that much of the content', async (query, sent) => {
      const outcome = await fail(query);
      const [head, content] = split(outcome);
      const length = /length=(\d+)/.exec(query)?.[1] ?? LENGTH;
      expect(outcome).toMatchObject(ending);
      expect(head).toContain(`\r\nContent-Length: ${length}\r\n`);
      expect(head).not.toContain('Connection');
      // RST drops what the client's system has not received yet.
      if (kind !== 'reset' || sent < LENGTH) expect(content).toHaveLength(sent);
      expect(content.slice(0, LENGTH)).toBe(CONTENT.slice(0, sent));
    });

    test('at=end: all of the content', async () => {
      const outcome = await fail('at=end&status=503');
      expect(outcome).toMatchObject(ending);
      expect(split(outcome)).toEqual([expect.stringContaining('HTTP/1.1 503 '), CONTENT]);
    });

    test('framing=chunked: in the middle of a chunk', async () => {
      const outcome = await fail('framing=chunked&after=5000');
      const [head, content] = split(outcome);
      expect(outcome).toMatchObject(ending);
      expect(head).toContain('\r\nTransfer-Encoding: chunked\r\n');
      expect(content).toBe(
        `1000\r\n${CONTENT.slice(0, 4096)}\r\n1000\r\n${CONTENT.slice(4096, 5000)}`,
      );
    });

    test('framing=chunked&at=end: without the last chunk', async () => {
      const outcome = await fail('framing=chunked&at=end&length=26');
      expect(outcome).toMatchObject(ending);
      expect(split(outcome)[1]).toBe(`1a\r\n${ALPHABET}\r\n`);
    });

    test('HEAD has no content', async () => {
      const target = kind.includes('?') ? kind.slice(0, -1) : kind;
      const request = GET(`/fault/${target}`).replace('GET', 'HEAD');
      const outcome = await outcomeOf(running().port, request, isSecure);
      expect(outcome).toMatchObject(ending);
      expect(split(outcome)).toEqual([expect.stringContaining('Content-Length: 10240'), '']);
    });
  });

  test.each([
    [10_240, 5120],
    [10, 26],
    [0, 26],
    [26, 0],
  ])('content-length: %i declared, %i sent', async (declared, sent) => {
    const outcome = await ask(`content-length?declared=${declared}&sent=${sent}`);
    const [head, content] = split(outcome);
    expect(outcome).toMatchObject(FIN);
    expect(head.match(/^content-length: .*/gim)).toEqual([`Content-Length: ${declared}`]);
    expect(content).toBe(CONTENT.slice(0, sent));
  });

  test.each([
    ['bad-size', `1a\r\n${ALPHABET}\r\nsize\r\n`],
    ['overflow', `1a\r\n${ALPHABET}\r\n10000000000000000\r\noverflow\r\n0\r\n\r\n`],
    ['no-crlf', `1a\r\n${ALPHABET}0\r\n\r\n`],
    ['no-last', `1a\r\n${ALPHABET}\r\n`],
  ])('chunk: %s, then FIN', async (how, expected) => {
    const outcome = await ask(`chunk?length=26&how=${how}`);
    const [head, content] = split(outcome);
    expect(outcome).toMatchObject(FIN);
    expect(head).toContain('\r\nTransfer-Encoding: chunked\r\n');
    expect(head).not.toMatch(/content-length/i);
    expect(content).toBe(expected);
  });

  test.each([
    ['long-extension', `1a;x=${'x'.repeat(64 * 1024)}\r\n${ALPHABET}\r\n0\r\n\r\n`],
    ['forbidden-trailer', `1a\r\n${ALPHABET}\r\n0\r\nContent-Length: 0\r\nHost: localhost\r\n\r\n`],
  ])('chunk: %s, then the next response', async (how, expected) => {
    const { received } = await outcomeOf(
      running().port,
      GET(`/fault/chunk?length=26&how=${how}`) + GET('/healthz', LAST),
      isSecure,
    );
    const [, content = '', next] = received.split(/(?<=^.*?\r\n\r\n)|(?=HTTP\/1\.1 200 OK\r\n)/s);
    expect(received).toContain(expected);
    expect([content, next]).toBeDefined();
    expect(received).toMatch(/\r\n\r\nOK$/);
  });

  const X_FAULT = /^x-fault.*?\r\n\r\n/ims;
  test.each([
    ['obs-fold', 'X-Fault: folded\r\n onto the next line\r\n\r\n'],
    ['space-before-colon', 'X-Fault : space\r\n\r\n'],
    ['no-colon', 'X-Fault\r\n\r\n'],
    ['nul', 'X-Fault: a\0b\r\n\r\n'],
  ])('head: %s, then the next response', async (how, expected) => {
    const { received } = await outcomeOf(
      running().port,
      GET(`/fault/head?length=26&how=${how}`) + GET('/healthz', LAST),
      isSecure,
    );
    expect(X_FAULT.exec(received)?.[0]).toBe(expected);
    expect(received).toMatch(/\r\n\r\nabc.*xyzHTTP\/1\.1 200 OK\r\n.*\r\n\r\nOK$/s);
  });

  test('head: bare-lf', async () => {
    const { received } = await ask('head?length=26&how=bare-lf', LAST);
    const [head] = received.split('\n\n');
    expect(head).toMatch(/^HTTP\/1\.1 200 OK\nContent-Type: /);
    expect(received).not.toContain('\r');
    expect(received.endsWith(`\n\n${ALPHABET}`)).toBe(true);
  });

  test.each([
    ['no-status', /^HTTP\/1\.1\r\nContent-Type: /],
    ['bad-version', /^HTTP\/9\.9 200 OK\r\nContent-Type: /],
    ['two-lengths', /\r\nContent-Length: 26\r\n.*\r\nContent-Length: 27\r\n\r\n[a-z]{26}$/s],
    [
      'length-and-chunked',
      /\r\nContent-Length: 26\r\n.*\r\nTransfer-Encoding: chunked\r\n\r\n1a\r\n[a-z]{26}\r\n0\r\n\r\n$/s,
    ],
  ])('head: %s', async (how, expected) => {
    // Nothing follows where the recipient does not know the end.
    const outcome = await ask(`head?length=26&how=${how}`, how === 'bad-version' ? LAST : '');
    expect(outcome).toMatchObject(FIN);
    expect(outcome.received).toMatch(expected);
  });

  test.each([0, 250, 251, 1000, 65_536, 1_048_576])('head: size of %i bytes', async (bytes) => {
    const [head, content] = split(await ask(`head?how=size&bytes=${bytes}`, LAST));
    if (bytes > 0) expect(Math.abs(head.length - bytes)).toBeLessThan(11);
    if (bytes >= 1000) expect(head).toHaveLength(bytes);
    expect(content).toBe(CONTENT);
  });

  test.each([1, 100, 10_000])('head: %i fields', async (fields) => {
    const [head, content] = split(await ask(`head?how=count&fields=${fields}`, LAST));
    const lines = head.split('\r\n').length - 3;
    expect(lines).toBe(Math.max(fields, 6));
    expect(content).toBe(CONTENT);
  });

  test('garbage?for=0.05: the connection ends after that time', async () => {
    const began = performance.now();
    expect(await ask('garbage?for=0.05')).toMatchObject(FIN);
    expect(performance.now() - began).toBeGreaterThan(49);
  });

  test('garbage with a seed has the same bytes', async () => {
    const [one, other, third] = await Promise.all([
      ask('garbage?seed=7'),
      ask('garbage?seed=7'),
      ask('garbage?seed=8'),
    ]);
    expect(one.received).toHaveLength(LENGTH);
    expect(other.received).toBe(one.received);
    expect(third.received).not.toBe(one.received);
  });

  test.each([0, 1, 10_000, 1_000_000])('garbage: %i random bytes', async (length) => {
    const [one, other] = await Promise.all([
      ask(`garbage?length=${length}`),
      ask(`garbage?length=${length}`),
    ]);
    expect(one).toMatchObject(FIN);
    expect(one.received).toHaveLength(length);
    if (length > 1) expect(one.received).not.toBe(other.received);
  });

  test.each([
    ['at=headers', /^(?!.*\r\n\r\n)HTTP\/1\.1 200 OK\r\nContent-Type: text\/plain.*.{7}$/s],
    ['at=body', /\r\nTransfer-Encoding: chunked\r\n.*?\r\n\r\n.{7}$/s],
    ['after=13&content=26', /\r\nTransfer-Encoding: chunked\r\n.*\r\n\r\n1a\r\n[a-m]{13}.{7}$/s],
    ['at=end&content=26', /\r\nTransfer-Encoding: chunked\r\n.*\r\n\r\n1a\r\n[a-z]{26}\r\n.{7}$/s],
    ['at=body&framing=length', /\r\nContent-Length: 10240\r\n.*?\r\n\r\n.{7}$/s],
    ['at=end&content=3&framing=length', /\r\nContent-Length: 3\r\n.*\r\n\r\nabc.{7}$/s],
    ['at=end&status=204', /^HTTP\/1\.1 204 No Content\r\n.*?\r\n\r\n.{7}$/s],
  ])('garbage after a good beginning: %s', async (query, expected) => {
    const outcome = await ask(`garbage?length=7&${query}`);
    expect(outcome).toMatchObject(FIN);
    expect(outcome.received).toMatch(expected);
  });

  test.each([
    ['garbage?frame=window-0&at=body', 'frame contradicts at and after'],
    ['garbage?after=11&content=10', 'after=11 exceeds content=10'],
    ['garbage?lenght=3', 'lenght is not a parameter of /fault/garbage; did you mean length?'],
  ])('%s is refused', async (path, detail) => {
    const { received } = await ask(path, LAST);
    expect(received).toMatch(/^HTTP\/1\.1 400 /);
    expect(received).toContain(detail);
  });

  test.each([
    ['rst-stream', 'rst-stream: HTTP/1.1 has no streams'],
    ['goaway', 'goaway: HTTP/1.1 has no frames'],
    ['garbage?frame=window-0', 'garbage: frame=window-0: HTTP/1.1 has no frames'],
    ['head?how=late-pseudo', 'head: how=late-pseudo is for HTTP/2; HTTP/1.1 has bare-lf'],
    ...(isSecure ? [] : [['truncate-tls', 'truncate-tls: the connection does not use TLS']]),
  ])('%s is not available, and says why', async (path, why = '') => {
    const outcome = await ask(path, LAST);
    const [head, content] = split(outcome);
    expect(head).toMatch(/^HTTP\/1\.1 400 /);
    expect(JSON.parse(content)).toMatchObject({
      type: '/problems/fault-unavailable',
      detail: expect.stringContaining(why) as unknown,
    });
  });
});

test('there is a list of the faults', async () => {
  const received = await exchange(running().port, GET('/fault/crash', LAST));
  expect(received).toMatch(/^HTTP\/1\.1 400 /);
  expect(received).toContain('kind=crash is not one of close, reset, truncate-tls, stall,');
});

test('a fault is made in the order of the responses', async () => {
  const request = GET('/delay/0.05') + GET('/fault/close?length=4') + GET('/healthz');
  const { received } = await outcomeOf(running().port, request, false);
  expect(received).toMatch(/^HTTP\/1\.1 200 OK.*0\.05 secondsHTTP\/1\.1 200 OK.*\r\n\r\nab$/s);
});

test('RST after the responses before it', async () => {
  const request = GET('/delay/0.05') + GET('/fault/reset?at=start');
  const { received, ending } = await outcomeOf(running().port, request, false);
  expect(received).toMatch(/0\.05 seconds$/);
  expect(ending).toBe('RST');
});

test('no-read without content is not available', async () => {
  const received = await exchange(running().port, POST('/fault/no-read', LAST));
  expect(received).toContain('/problems/fault-unavailable');
});

test.each([
  ['/fault/close?aftre=100', 'aftre is not a parameter of /fault/close; did you mean after?'],
  ['/fault/%63lose?AFTER=1', 'AFTER is not a parameter of /fault/close; did you mean after?'],
  ['/fault/no-read?wait=1', 'wait is not a parameter of /fault/no-read; it has after, for, scope'],
  ['/fault/close?=1', ' is not a parameter of /fault/close; it has length, at, after, framing'],
  ['/retry/a?fial=3', 'fial is not a parameter of /retry/{key}; did you mean fail?'],
  ['/informational/103?intervall=1', 'intervall is not a parameter of /informational/{codes}'],
  ['/informational/103?Count=2', 'Count is not a parameter of /informational/{codes}'],
])('%s: a mistyped parameter is no other test', async (target, detail) => {
  const received = await exchange(running().port, GET(target, LAST));
  expect(received).toMatch(/^HTTP\/1\.1 400 /);
  expect(JSON.parse(received.slice(received.indexOf('\r\n\r\n')))).toMatchObject({
    type: '/problems/invalid-parameter',
    detail: expect.stringContaining(detail) as unknown,
  });
});

test.each([
  '/fault/close?at=end&length=3&dialect=wirebin&server-timing=1&check=check-0123456789ab',
  '/fault/%63lose?at=end&length=3',
])('%s: parameters of all endpoints', async (target) => {
  expect(await exchange(running().port, GET(target))).toMatch(/^HTTP\/1\.1 200 .*\r\n\r\nabc$/s);
});

test('/informational has fields with short names, and such as begin a parameter', async () => {
  const target = '/informational/103?x=1&i=2&in=3&link=4';
  expect(await exchange(running().port, GET(target, LAST))).toMatch(
    /^HTTP\/1\.1 103 [^\r]*\r\nx: 1\r\ni: 2\r\nin: 3\r\nlink: 4\r\n\r\nHTTP\/1\.1 200 /,
  );
});
