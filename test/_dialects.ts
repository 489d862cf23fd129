import { plainManner } from '../src/dialects/wirebin.ts';
import { Dialects } from '../src/http/dialect.ts';
import type { Endpoint } from '../src/http/endpoint.ts';
import { Router } from '../src/http/router.ts';

/** wirebin's own manner, with these endpoints and no choice. */
export function plainDialects(endpoints: readonly Endpoint[]): Dialects {
  return new Dialects({ ...plainManner, name: 'wirebin', router: new Router(endpoints) });
}
