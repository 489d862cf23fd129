import { wirebinStyle } from '../src/dialects/wirebin.ts';
import { Dialects, Router } from '../src/server/router.ts';
import type { Endpoint } from '../src/server/endpoint.ts';

/** wirebin's own manner, with these endpoints and no choice. */
export function plainDialects(endpoints: readonly Endpoint[]): Dialects {
  return new Dialects({ ...wirebinStyle, name: 'wirebin', router: new Router(endpoints) });
}
