import { execFileSync } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import { curlLine, parseFields, filledTarget } from '../../src/browser/request.ts';
import { hexDump, previewOf } from '../../src/browser/preview.ts';
import { tryTarget } from '../../src/pages/home/try-section.ts';
import { endpoints } from '../_walk.ts';
import { hasProgram } from '../_programs.ts';

const bytesOf = (text: string) => new TextEncoder().encode(text);

describe('filledTarget', () => {
  test.each([
    [
      '/bytes/{n}',
      [
        ['n', '5'],
        ['seed', ''],
      ],
      'bytes/5',
    ],
    [
      '/respond',
      [
        ['status', '503'],
        ['header', 'A: 1\nB: 2\n'],
        ['trailer', ''],
      ],
      'respond?status=503&header=A%3A%201&header=B%3A%202',
    ],
    [
      '/bytes/{n}',
      [
        ['n', 'a/b?'],
        ['seed', 'x&y'],
      ],
      'bytes/a%2Fb%3F?seed=x%26y',
    ],
    [
      '/anything/*path',
      [
        ['path', 'a/b?c#'],
        ['more', 'd=%20&e=#'],
      ],
      'anything/a/b%3Fc%23?d=%20&e=%23',
    ],
  ] as const)('%s with %j is %s', (path, pairs, target) => {
    expect(filledTarget(path, pairs)).toBe(target);
    // With scripts and without, a form leads to the same target.
    const id = endpoints.find((other) => other.path === path)?.id ?? '';
    expect(tryTarget(endpoints, id, pairs)).toBe(`./${target}`);
  });
});

test('lines of fields', () => {
  expect(parseFields('A: b\n  c :d: e \nnothing\n: f\nG:\n')).toEqual([
    ['A', 'b'],
    ['c', 'd: e'],
    ['G', ''],
  ]);
});

describe('curlLine', () => {
  const get = { method: 'GET', target: 'bytes/5', fields: [], content: '' };

  test.each([
    [get, 'http://localhost:8080/', 'curl -i http://localhost:8080/bytes/5'],
    [get, 'https://localhost/a/', 'curl -i -k https://localhost/a/bytes/5'],
    [get, 'https://127.0.0.1:8080/', 'curl -i -k https://127.0.0.1:8080/bytes/5'],
    [get, 'https://example.com/', 'curl -i https://example.com/bytes/5'],
    [get, 'https://localhost.example/', 'curl -i https://localhost.example/bytes/5'],
    [get, 'https://127.example/', 'curl -i https://127.example/bytes/5'],
    [
      {
        ...get,
        method: 'POST',
        fields: [['Content-Type', 'a']] as const,
        content: "x\u0003\nid\\'\n",
      },
      'http://a/',
      String.raw`curl -i -X POST -H 'Content-Type: a' --data-raw $'x\003\012id\\\'\012' http://a/bytes/5`,
    ],
    [{ ...get, method: 'HEAD' }, 'http://a/', 'curl -i -I http://a/bytes/5'],
    [{ ...get, target: 'x?a=1&b=2' }, 'http://a/', "curl -i 'http://a/x?a=1&b=2'"],
    // With content, curl would send POST, and not know what to do for HEAD.
    [{ ...get, content: 'a' }, 'http://a/', 'curl -i http://a/bytes/5'],
    [{ ...get, method: 'HEAD', content: 'a' }, 'http://a/', 'curl -i -I http://a/bytes/5'],
    [
      {
        method: 'POST',
        target: 'post',
        fields: [
          ['X-A', "it's"],
          ['X-B', ''],
        ] as const,
        content: '@a b',
      },
      'http://a/',
      String.raw`curl -i -X POST -H 'X-A: it'\''s' -H 'X-B;' -H 'Content-Type: text/plain;charset=UTF-8' --data-raw '@a b' http://a/post`,
    ],
  ])('%j', (request, base, line) => {
    expect(curlLine(request, base)).toBe(line);
  });

  test.runIf(hasProgram('sh'))('a shell leaves its words as they are', () => {
    const content = 'a\'b"c$d`e\\f\n!g*';
    const line = curlLine({ method: 'PUT', target: 'x?[a]', fields: [], content }, 'http://a/');
    const script = line.replace('curl', `printf '%s\\0'`);
    const words = execFileSync('sh', ['-c', script], { encoding: 'utf8' }).split('\0');
    expect(words.slice(-3, -1)).toEqual([content, 'http://a/x?[a]']);
    expect(words).toContain('-g');
  });
});

test.each(['\u0003\nid\n', 'a\u001b[201~b', "\r'\\\u007f1", '\u009bü'])(
  'what a curl line has of %j has no control characters, and is the same to bash',
  (content) => {
    const request = { method: 'POST', target: 'x', fields: [], content };
    const line = curlLine(request, 'http://a/');
    expect(line).not.toMatch(/\p{Cc}/u);
    if (!hasProgram('bash')) return;
    const script = line.replace('curl', `printf '%s\\0'`);
    const words = execFileSync('bash', ['-c', script], { encoding: 'utf8' }).split('\0');
    expect(words.at(-3)).toBe(content);
  },
);

describe('previewOf', () => {
  test('text', () => {
    expect(previewOf(bytesOf('für\n'), true)).toEqual({
      kind: 'text',
      text: 'für\n',
      isCut: false,
    });
  });

  test('the beginning of text may end within a character', () => {
    const bytes = bytesOf('aü').subarray(0, 2);
    expect(previewOf(bytes, false)).toEqual({ kind: 'text', text: 'a', isCut: true });
    expect(previewOf(bytes, true).kind).toBe('hex');
  });

  test('long text is cut', () => {
    const { text, isCut } = previewOf(bytesOf('x'.repeat(100_000)), true);
    expect([text.length, isCut]).toEqual([32_768, true]);
  });

  test('bytes', () => {
    const bytes = Uint8Array.from({ length: 18 }, (_, at) => at * 9);
    expect(previewOf(bytes, true)).toEqual({ kind: 'hex', text: hexDump(bytes), isCut: false });
    expect(hexDump(bytes)).toBe(
      '00000000  00 09 12 1b 24 2d 36 3f 48 51 5a 63 6c 75 7e 87  ....$-6?HQZclu~.\n' +
        '00000010  90 99                                            ..',
    );
    expect(previewOf(new Uint8Array(10_000), true)).toMatchObject({ kind: 'hex', isCut: true });
  });
});
