import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { echoPieces } from '../../src/echo/echo-pieces.ts';
import { echoText } from '../../src/echo/echo-text.ts';
import { escapeMarkupInJson } from '../../src/server/safety.ts';
import { FakeExchange } from '../_exchange.ts';

beforeEach(() => {
  vi.spyOn(performance, 'now').mockReturnValue(1234);
});

afterEach(() => {
  vi.restoreAllMocks();
});

const SIZE = 70_000;
const ALL = Array.from({ length: 0x250 }, (_, code) => String.fromCharCode(code)).join('');
const LONG = `${ALL}\u2028🍵<&>`.repeat(SIZE / ALL.length);
const FORM = 'application/x-www-form-urlencoded';
const PARTS = [
  ['name="a"', LONG],
  ['name="a"; filename="f"', '\0'.repeat(SIZE)],
  ['name="__proto__"; filename="f"', LONG],
  ['name="1"; filename="f"', 'short'],
].map(([name, value]) => `--b\r\nContent-Disposition: form-data; ${name}\r\n\r\n${value}\r\n`);

test.each<[string, string | undefined, string | Buffer]>([
  ['text', undefined, LONG],
  ['NUL', 'text/plain', '\0'.repeat(SIZE)],
  ['nothing to escape', undefined, 'a'.repeat(SIZE)],
  ['bytes', 'image/png', Buffer.alloc(SIZE, 0xff)],
  ['JSON', 'application/json', JSON.stringify([LONG, '<', 1])],
  ['a form', FORM, `__proto__=${'%00<'.repeat(SIZE)}&2=b&1=${'x'.repeat(SIZE)}&1=c&2=${LONG}`],
  ['long names', FORM, `${LONG}=1&${'\0'.repeat(SIZE)}&a&${LONG}=${LONG}`],
  ['short values', FORM, 'a=1&'.repeat(SIZE / 4)],
  ['multipart', 'multipart/form-data; boundary=b', `${PARTS.join('')}--b--\r\n`],
  ['nothing', undefined, ''],
])('the echo in pieces is that as text: %s', (_, type, content) => {
  const fields = type === undefined ? [] : ['Content-Type', type];
  const request = new FakeExchange('/anything?a=<b>', { method: 'POST', fields });
  const bytes = Buffer.from(content);
  const text = echoText(request, bytes);
  expect(read(echoPieces(request, bytes))).toBe(text);
  expect(read(echoPieces(request, bytes, true))).toBe(escapeMarkupInJson(text));
});

/** All pieces as text. They are as long as the source says, each time that it is made. */
function read(source: ReturnType<typeof echoPieces>): string {
  const make = source.fix();
  const [once = '', again] = [make(), make()].map((made) => {
    const pieces: Uint8Array[] = [];
    for (let piece = made.next(5000); piece; piece = made.next(5000)) pieces.push(piece);
    const all = Buffer.concat(pieces);
    expect(all.length).toBe(source.length);
    return all.toString();
  });
  expect(again).toBe(once);
  return once;
}
