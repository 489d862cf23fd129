import type { RedirectTargets } from '../endpoints/redirect-to.ts';
import { Dialects, type Dialect, type DialectName } from '../server/router.ts';
import type { DialectState } from './adapt.ts';
import { gatewayApi } from './gateway-api/dialect.ts';
import { goHttpbin } from './go-httpbin/dialect.ts';
import { httpbin } from './httpbin/dialect.ts';
import { wirebin } from './wirebin.ts';

const factories: Readonly<Record<DialectName, (state: DialectState) => Dialect>> = {
  wirebin,
  httpbin,
  'go-httpbin': goHttpbin,
  'gateway-api': gatewayApi,
};

/** Whether /redirect-to allows any URL, as the originals do unless hosts are listed. */
export function allowsAnyRedirect(name: DialectName, allowed: RedirectTargets): boolean {
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
 * The dialect of a service. Only wirebin's own lets `?dialect=` select another one: in the others
 * `dialect` is a parameter like any other, as in the programs they imitate.
 */
export function createDialects(name: DialectName, state: DialectState): Dialects {
  const dialect = factories[name](
    allowsAnyRedirect(name, state.allowedRedirectDomains)
      ? { ...state, allowedRedirectDomains: 'anywhere' }
      : state,
  );
  return name === 'wirebin'
    ? new Dialects(dialect, (other) => factories[other](state))
    : new Dialects(dialect);
}
