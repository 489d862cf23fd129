import type { RedirectTargets } from '../endpoints/redirect-to.ts';
import { Dialects, type Dialect, type DialectName } from '../server/dialect.ts';
import type { DialectState } from './adapt.ts';
import { gatewayApi } from './gateway-api/dialect.ts';
import { goHttpbin } from './go-httpbin/dialect.ts';
import { httpbin } from './httpbin/dialect.ts';
import { postmanEcho } from './postman-echo/dialect.ts';
import { wirebin } from './wirebin.ts';

const factories: Readonly<Record<DialectName, (state: DialectState) => Dialect>> = {
  wirebin,
  httpbin,
  'go-httpbin': goHttpbin,
  'gateway-api': gatewayApi,
  'postman-echo': postmanEcho,
};

/** Whether /redirect-to allows any URL: the original programs do, unless hosts are listed. */
export function allowsAnyRedirect(name: DialectName, allowed: RedirectTargets): boolean {
  switch (name) {
    case 'httpbin':
    case 'go-httpbin':
      return allowed.length === 0;
    case 'wirebin':
    case 'gateway-api':
    case 'postman-echo':
      return false;
  }
}

/**
 * The dialect of a service. Only in wirebin's own, `?dialect=` selects another one. In others, it is an ordinary
 * parameter, as in the programs that they imitate.
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
