import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { until } from '../../_adapters.ts';
import * as h2 from '../../_frames.ts';
import { openSocket } from '../../_raw.ts';
import { everyNth } from '../../_whole.ts';
import { sharedService } from '../../_shared.ts';

type Line = readonly [name: string, value: string];

const PAGE = readFileSync(new URL('../../../docs/http2-fields.md', import.meta.url), 'utf8');
const MAJOR = Number.parseInt(process.versions.node, 10);
const PROTOCOL_ERROR = 1;
const BASE: readonly Line[] = [
  [':method', 'POST'],
  [':scheme', 'http'],
  [':authority', 'x'],
  [':path', '/anything'],
];
/** Flow control is not under test here. */
const WINDOW = h2.frame(h2.WINDOW_UPDATE, 0, 0, h2.uint32(2 ** 30));

const running = sharedService('--max-resets=10000');

/** The outcome of a field line; a pseudo-header field replaces the one of the same name. */
type Ask = (line: Line) => Promise<string>;

async function asking(trailing = false): Promise<{ ask: Ask; close: () => void }> {
  const client = new h2.FrameClient(await openSocket(running().port));
  client.send(WINDOW);
  let stream = -1;
  const ask: Ask = async (line) => {
    stream += 2;
    const mine = stream;
    const [name, value] = line;
    const isKnown = BASE.some(([known]) => known === name);
    const lines = isKnown ? BASE.map((each) => (each[0] === name ? line : each)) : [...BASE, line];
    const end = h2.END_HEADERS | h2.END_STREAM;
    if (trailing) {
      client.send(
        h2.frame(h2.HEADERS, h2.END_HEADERS, mine, h2.fieldBlock(BASE)),
        h2.frame(h2.HEADERS, end, mine, h2.fieldBlock([line])),
      );
    } else client.send(h2.frame(h2.HEADERS, end, mine, h2.fieldBlock(lines)));
    await until(() => client.isDone(mine) || client.reset(mine) !== undefined);
    if (client.reset(mine) !== undefined) {
      expect(client.reset(mine)).toBe(PROTOCOL_ERROR);
      return 'refused';
    }
    const view = JSON.parse(client.content(mine)) as Record<string, unknown>;
    if (typeof view['status'] === 'number') return view['status'].toString();
    const shown = (view[trailing ? 'raw_trailers' : 'raw_headers'] ?? []) as Line[];
    return shown.some((each) => each[0] === name && each[1] === value) ? 'arrives' : 'dropped';
  };
  return { ask, close: () => client.socket.destroy() };
}

const places: Record<string, (byte: string) => Line> = {
  'the first byte of a value': (byte) => ['x-a', `${byte}c`],
  'the last byte of a value': (byte) => ['x-a', `a${byte}`],
  'any other byte of a value': (byte) => ['x-a', `a${byte}c`],
  'the first byte of a name': (byte) => [`${byte}b`, 'v'],
  'any other byte of a name': (byte) => [`a${byte}c`, 'v'],
};

/** The bytes in a list such as `0x00-0x20 0x7F`. */
function bytesIn(list: string): Set<number> {
  const bytes = new Set<number>();
  for (const [, first, last = first] of list.matchAll(/0x([\dA-F]{2})(?:-0x([\dA-F]{2}))?/g)) {
    const end = Number.parseInt(last ?? '', 16);
    for (let byte = Number.parseInt(first ?? '', 16); byte <= end; byte++) bytes.add(byte);
  }
  return bytes;
}

describe.each([
  ['fields', false],
  ['trailer fields', true],
])('bytes not allowed in %s', (_, trailing) => {
  test.each(Object.entries(places))('%s', async (place, lineWith) => {
    const [, list] = new RegExp(`\\| ${place} +\\| (.*?) +\\|`).exec(PAGE) ?? [];
    const dropped = bytesIn(list ?? '');
    expect(dropped.size).toBeGreaterThan(10);
    const { ask, close } = await asking(trailing);
    const all = everyNth(
      3,
      Array.from({ length: 256 }, (_byte, byte) => String.fromCharCode(byte)),
    );
    const expected = all.map((character) => {
      const [name] = lineWith(character);
      if (place.endsWith('name') && /^:|[A-Z]/.test(name)) return 'refused';
      return dropped.has(character.charCodeAt(0)) ? 'dropped' : 'arrives';
    });
    // Limited by the maximum number of concurrent streams.
    const half = (from: number): Promise<string[]> =>
      Promise.all(all.slice(from, from + 128).map((character) => ask(lineWith(character))));
    expect([...(await half(0)), ...(await half(128))]).toEqual(expected);
    close();
  });
});

test('field lines of the table', async () => {
  const rows = [...PAGE.matchAll(/^\| `(\[.*\])` +\| (\w+)(?:, (\w+) since Node (\d+))? +\|$/gm)];
  expect(rows.length).toBeGreaterThan(40);
  const { ask, close } = await asking();
  for (const [, json = '', before, after, since] of rows) {
    const line = JSON.parse(json) as Line;
    const expected = since !== undefined && MAJOR >= Number(since) ? after : before;
    expect([json, await ask(line)]).toEqual([json, expected]);
  }
  close();
});

test('an empty value arrives', async () => {
  const { ask, close } = await asking();
  expect(await ask(['x-a', ''])).toBe('arrives');
  close();
});
