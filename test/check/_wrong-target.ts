import { changingQueries, readingHeads, wrong, type WrongProxy, changesPaths } from './_wrong.ts';

/** Checks of the level info. */
const FACTS = /dot-segments|double-slash|encoded-(?:nul|unreserved)/;

/** The checks of targets that turn: those of the level info differ. */
export const fails = (...ids: readonly string[]): WrongProxy['turns'] =>
  Object.fromEntries(ids.map((id) => [`target/${id}`, FACTS.test(id) ? 'differs' : 'fail']));

type Replacing = (
  name: string,
  from: RegExp | string,
  to: string,
  ...ids: readonly string[]
) => WrongProxy;

/** A gateway that replaces a part of paths. */
export const path: Replacing = (name, from, to, ...ids) =>
  changesPaths(name, fails(...ids), (text) => text.replace(from, to));

/** One that replaces a part of queries. */
export const query: Replacing = (name, from, to, ...ids) =>
  wrong(
    name,
    fails(...ids),
    changingQueries((text) => text.replace(from, to)),
  );

/** One that changes the header section of the client, so that what is malformed is forwarded. */
export const head: Replacing = (name, from, to, ...ids) =>
  wrong(name, fails(...ids), readingHeads(from, to));
