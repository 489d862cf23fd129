import { expect, test } from 'vitest';
import { publicationPages } from '../../scripts/publication.ts';
import type { Endpoint } from '../../src/server/endpoint.ts';
import { endpoints } from '../_walk.ts';
import { blocksOf, commandsOf } from './_blocks.ts';
import { all, canRun, isOf, run } from './_chosen.ts';
import { CLAIMS, NOT_RUN, PROGRAMS } from './_tables.ts';

test('a page has no other programs, which might change the machine', () => {
  expect(run.filter((command) => !isOf(PROGRAMS, command))).toEqual([]);
});

test('so it is with the pages that are written when wirebin is published', () => {
  const sections = Object.values(publicationPages('some/wirebin')).flatMap(Object.values<string>);
  const commands = sections.flatMap(blocksOf).flatMap(commandsOf);
  expect(commands.length).toBeGreaterThan(5);
  const others = commands.filter((command) => canRun(command) && !isOf(PROGRAMS, command));
  expect(others).toEqual([]);
});

test('pages write wirebin, which README says how to run in a clone', () => {
  const others = all.filter(({ text }) =>
    /\bnpm start --|^npm start\b|^node dist\/main/.test(text),
  );
  expect(others).toEqual([]);
});

test('what the tables have is in a page', () => {
  const reasons = NOT_RUN.filter(([line]) => !all.some(({ written }) => line.test(written)));
  expect(reasons).toEqual([]);
  const claims = CLAIMS.filter(([line]) => !run.some(({ written }) => line.test(written)));
  expect(claims).toEqual([]);
});

/** The endpoints at a path of a URL. */
function endpointsAt(path: string): Endpoint[] {
  return endpoints.filter((each) => {
    const pattern = each.path.replace(/\*\w+/, '.*').replaceAll(/\{\w+\}/g, '[^/]+');
    return new RegExp(`^${pattern}$`).test(path);
  });
}

test('parameters are those of their endpoints, which ignore most others', () => {
  const urls = all.flatMap(({ text }) =>
    Array.from(
      text.matchAll(/(?:8080|\.example)(\/[^\s'?]*)\?([^\s']+)/g),
      ([, path = '', query = '']) => ({
        path,
        names: query.split('&').map((pair) => pair.replace(/=.*/, '')),
      }),
    ),
  );
  expect(urls.length).toBeGreaterThan(50);
  const unknown = urls.flatMap(({ path, names }) =>
    names
      .filter((name) => name !== 'dialect')
      .filter((name) => !endpointsAt(path).some((each) => each.additionalQuery ?? each.query[name]))
      .map((name) => `${path}?${name}`),
  );
  expect(unknown).toEqual([]);
});
