import { testWithEveryCheck } from './_run.ts';
import { wrongProxies } from './wrong/all.ts';

/** Those that have a file of their own. */
const LONG = new Set(['requests', 'responses', 'connections']);

testWithEveryCheck(
  Object.entries(wrongProxies).flatMap(([name, proxies]) => (LONG.has(name) ? [] : proxies)),
);
