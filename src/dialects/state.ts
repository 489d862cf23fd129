import type { ServiceState } from '../endpoints/all.ts';
import type { PodContext } from './gateway-api/view.ts';

/** The settings and state of the running service that dialects depend on. */
export interface DialectState extends ServiceState {
  readonly pod: PodContext;
  /** Maximum content of a request, and of a go-httpbin response, in bytes. */
  readonly maxBodySize: number;
}
