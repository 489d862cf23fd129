import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { checks } from '../../src/check/catalogue/all.ts';
import { FRONTS } from '../../src/check/front.ts';
import { PRODUCTS_WITH_DIRECTIVES, type Directive, type Product } from '../../src/check/remedy.ts';
import { Installation } from '../_process.ts';
import { configured } from './_directives.ts';
import { knownProxies } from './_proxies.ts';
import { recorded, verdictsOf, type Verdicts } from './_records.ts';
import { check, find } from './_run.ts';

/** Directives of a product, with the checks that they are for. */
interface Tried {
  readonly product: Product;
  readonly directives: readonly Directive[];
  readonly ids: readonly string[];
}

/** Each different remedy of a product. */
const tried = PRODUCTS_WITH_DIRECTIVES.flatMap((product) => {
  const all = new Map<string, Tried>();
  for (const { id, remedy } of checks) {
    const directives = remedy?.directives?.[product];
    if (!directives) continue;
    const key = JSON.stringify(directives);
    all.set(key, { product, directives, ids: [...(all.get(key)?.ids ?? []), id] });
  }
  return [...all.values()];
});

/** What is wrong in a configuration where the recorded one does it right. */
const MISTAKES: Readonly<Record<string, readonly Directive[]>> = {
  'nginx retry/post-503': [
    [
      'http',
      'proxy_next_upstream error timeout http_500 http_502 http_503 http_504 non_idempotent;',
    ],
    ['upstream', 'server 127.0.0.1:8080 max_fails=0;', 'server 127.0.0.1:8080 max_fails=0;'],
  ],
  'haproxy retry/post-503': [['backend', 'retry-on all-retryable-errors']],
};

const installed = knownProxies.flatMap((proxy) => {
  const found = find(proxy);
  const product = PRODUCTS_WITH_DIRECTIVES.find((each) => proxy.name.split('-')[0] === each);
  return found && product ? [{ proxy, found, product }] : [];
});

type Keyed = readonly (readonly [key: string, id: string])[];

/** These checks by front side. */
const keysOf = (ids: readonly string[]): Keyed =>
  ids.flatMap((id) => FRONTS.map((front) => [`${front} ${id}`, id] as const));

/** The checks that fail behind a recorded configuration of a product. Others only differ. */
const failing = new Set(
  installed.flatMap(({ proxy, product }) =>
    keysOf(checks.map(({ id }) => id)).flatMap(([key, id]) =>
      recorded(proxy)?.outcomes.get(key) === 'fail' ? [`${product} ${id}`] : [],
    ),
  ),
);

/** @param key a front and the id of a check */
const isGone = (key: string, outcome: string | undefined): boolean =>
  outcome === 'pass' ||
  // What is not encoded is not decoded.
  (outcome === 'not-applicable' && key.endsWith(' coding/decoded'));

describe('with its directive, a finding is gone, and there is no other', () => {
  let installation: Installation;
  beforeAll(() => {
    installation = new Installation('bundled');
  });
  afterAll(() => installation.remove());
  const seen = new Set<string>();
  const cases = installed.flatMap(({ product, proxy, found }) =>
    tried
      .filter((each) => each.product === product)
      .map(({ directives, ids }) => {
        const title = `${proxy.name}: ${ids.join(', ')}`;
        return { product, proxy, found, directives, ids, title };
      }),
  );

  test.concurrent.each(cases)('$title', async (each) => {
    const { product, directives, ids, proxy, found } = each;
    const only = [...new Set(ids.map((id) => `${id.split('/')[0]}/*`))];
    const run = async (lines: readonly Directive[]): Promise<Verdicts> =>
      verdictsOf(
        await check(proxy, found, installation, { only, edit: configured(product, lines) }),
      );
    const mistakes = MISTAKES[`${product} ${ids[0]}`];
    const standing = recorded(proxy)?.outcomes;
    const before = mistakes ? await run(mistakes) : standing;
    if (!before) return;
    const wrong = keysOf(ids).flatMap(([key, id]) => {
      const isFailing = mistakes !== undefined || failing.has(`${product} ${id}`);
      return before.get(key) === (isFailing ? 'fail' : 'differs') ? [key] : [];
    });
    if (wrong.length === 0) return;
    const faults = async (): Promise<string[]> => {
      const after = await run([...(mistakes ?? []), ...directives]);
      // Without a mistake that hides them, the findings of the product itself are back.
      const added = [...after].flatMap(([key, outcome]) =>
        outcome === 'fail' && ![before, standing].some((verdicts) => verdicts?.get(key) === 'fail')
          ? [key]
          : [],
      );
      return [...wrong.filter((key) => !isGone(key, after.get(key))), ...added];
    };
    const first = await faults();
    // A busy machine can turn a verdict; it does not do so twice.
    const again = first.length === 0 ? [] : await faults();
    expect(again.filter((key) => first.includes(key))).toEqual([]);
    for (const key of wrong) seen.add(`${product} ${key.split(' ')[1]}`);
  });

  test('each directive of an installed product was tried', () => {
    const all = cases.flatMap(({ product, ids }) => ids.map((id) => `${product} ${id}`));
    expect(all.filter((each) => !seen.has(each))).toEqual([]);
  });
});
