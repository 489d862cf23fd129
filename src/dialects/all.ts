import type { RedirectTargets } from '../endpoints/redirect-to.ts';
import { DIALECT_NAMES, Dialects, type Dialect, type DialectName } from '../server/dialect.ts';
import { gatewayApi } from './gateway-api/dialect.ts';
import { goHttpbin } from './go-httpbin/dialect.ts';
import { httpbin } from './httpbin/dialect.ts';
import type { DialectState } from './state.ts';
import { wirebin } from './wirebin.ts';

const makers: Readonly<Record<DialectName, (state: DialectState) => Dialect>> = {
  wirebin,
  httpbin,
  'go-httpbin': goHttpbin,
  'gateway-api': gatewayApi,
};

/** Whether /redirect-to leads wherever it is told to, as the originals do unless hosts are listed. */
export function redirectsAnywhere(name: DialectName, allowed: RedirectTargets): boolean {
  switch (name) {
    case 'httpbin':
    case 'go-httpbin':
      return allowed.length === 0;
    case 'wirebin':
    case 'gateway-api':
      return false;
  }
}

/**
 * The dialect of a service. A query has a say in its own alone: in the others `dialect` is a
 * parameter like any other, as it is in what they stand in for.
 */
export function dialectsOf(name: DialectName, state: DialectState): Dialects {
  const own = makers[name](
    redirectsAnywhere(name, state.allowedRedirectDomains)
      ? { ...state, allowedRedirectDomains: 'anywhere' }
      : state,
  );
  if (name !== 'wirebin') return new Dialects(own);
  const selectable = DIALECT_NAMES.map((other) => (other === name ? own : makers[other](state)));
  return new Dialects(own, selectable);
}
