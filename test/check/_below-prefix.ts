import type { ClientRequest, Deviation } from './_gateway-messages.ts';
import { mapped } from './_wrong.ts';

export const PREFIX = '/api';

/** Removes the prefix of paths below it, whose dot segments are resolved first. */
export function removingPrefix(target: string): string | undefined {
  const { pathname } = new URL(target, 'http://gateway.example');
  return pathname.startsWith(`${PREFIX}/`) ? target.replace(PREFIX, '') : undefined;
}

/** Adds the prefix to a Location, or to the Path of a cookie. */
export function withPrefix(value: string, name: string): string {
  if (name === 'location') return value.replace(/^(https?:\/\/[^/]+)?\//, `$1${PREFIX}/`);
  return name === 'set-cookie' ? value.replace('Path=/', `Path=${PREFIX}/`) : value;
}

/** A gateway that serves below a prefix, which the origin does not know. */
export const belowPrefix = (
  targetOf: (target: string) => string | undefined = removingPrefix,
  change: (value: string, name: string) => string = withPrefix,
): Deviation => ({
  refuses: ({ target }: ClientRequest) =>
    target === '*' || targetOf(target) !== undefined ? undefined : 404,
  request: (request) => {
    request.target = targetOf(request.target) ?? request.target;
  },
  response: (response) => {
    response.fields = mapped(response.fields, change);
  },
});
