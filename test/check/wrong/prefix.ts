import { belowPrefix, PREFIX, removingPrefix, withPrefix } from '../_below-prefix.ts';
import { wrong, type Turns, type WrongProxy } from '../_wrong.ts';

const below = (
  name: string,
  turns: Turns,
  ...args: Parameters<typeof belowPrefix>
): WrongProxy => ({
  ...wrong(name, turns, belowPrefix(...args)),
  setup: { scheme: 'http', isBelowPrefix: true },
});

/** Gateways that remove a prefix wrongly, or do not add it back. */
export const wrongPrefixes: readonly WrongProxy[] = [
  below('leaves Location as it is', 'target/prefix-location', removingPrefix, (value, name) =>
    name === 'location' ? value : withPrefix(value, name),
  ),
  below(
    'adds a prefix to paths in Location only',
    'target/prefix-location',
    removingPrefix,
    (value, name) =>
      name === 'location' && value.startsWith('http') ? value : withPrefix(value, name),
  ),
  below(
    'leaves the Path of cookies as it is',
    'cookie/prefix-path',
    removingPrefix,
    (value, name) => (name === 'set-cookie' ? value : withPrefix(value, name)),
  ),
  below('removes a prefix without its slash', 'http/1.1 target/prefix-left', (target) =>
    target.startsWith(PREFIX) ? target.replace(/^\/api\/?/, '/') : undefined,
  ),
  below(
    'removes a prefix before it resolves dot segments',
    'http/1.1 target/prefix-left',
    (target) => (target.startsWith(`${PREFIX}/`) ? target.replace(PREFIX, '') : undefined),
  ),
];
