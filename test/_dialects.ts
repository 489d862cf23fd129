import { likeWirebin } from '../src/dialects/wirebin.ts';
import { Dialects } from '../src/server/dialect.ts';
import { Router } from '../src/server/router.ts';
import type { Endpoint } from '../src/server/endpoint.ts';

/** wirebin's own manner, with these endpoints and no choice. */
export function plainDialects(endpoints: readonly Endpoint[]): Dialects {
  return new Dialects(likeWirebin({ name: 'wirebin', router: new Router(endpoints) }));
}
