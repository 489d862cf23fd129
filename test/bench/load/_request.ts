import type { LoadRequest } from '../../../src/bench/load/load-connection.ts';

/** A request on a connection that stays open; responses may have any length. */
export const REQUEST: LoadRequest = {
  method: 'GET',
  path: '/',
  authority: 'a',
  scheme: 'http',
  closes: false,
  length: undefined,
};
