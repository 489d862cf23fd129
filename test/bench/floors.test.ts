import { expect, it } from 'vitest';
import { floors } from '../../bench/floors.ts';
import { scenarios } from '../../bench/scenarios.ts';

const names = (entries: typeof floors): string[] =>
  entries.flatMap(({ path, protocols }) => protocols.map((protocol) => `${protocol} ${path}`));

it('has a scenario for each floor', () => {
  const known = new Set(scenarios.map(({ id }) => id));
  expect(names(floors).filter((name) => !known.has(name))).toEqual([]);
});

it('holds /bytes or /range on HTTP/1.1 in clear, HTTP/1.1 over TLS and HTTP/2 in the short form', () => {
  const short = names(floors.filter(({ isShort }) => isShort));
  for (const protocol of ['http/1.1', 'https/1.1', 'h2c']) {
    expect(
      short.some((name) => /\/(?:bytes|range)\//.test(name) && name.startsWith(protocol)),
    ).toBe(true);
  }
});

it('asks for no more than the goal', () => {
  expect(floors.filter(({ floor, goal }) => floor > goal)).toEqual([]);
});
