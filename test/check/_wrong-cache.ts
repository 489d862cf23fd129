import { valueOf } from '../../src/check/message.ts';
import type { CacheFault, CacheRules } from './_cache.ts';
import type { ClientRequest, Deviation } from './_gateway-messages.ts';
import { wrong, type Setup, type Turns, type WrongProxy } from './_wrong.ts';

const CACHE: Setup = { scheme: 'http', hasCache: true };

/** A cache with one fault. */
export const cached = (
  name: string,
  turns: Turns,
  cache: CacheFault | CacheRules,
  deviation: Deviation = {},
): WrongProxy => ({ ...wrong(name, turns, { cache, ...deviation }), setup: CACHE });

export const isGet = ({ method }: ClientRequest): boolean => method === 'GET';
export const has = ({ fields }: Pick<ClientRequest, 'fields'>, name: string): boolean =>
  valueOf(fields, name) !== undefined;
