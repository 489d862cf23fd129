import type { ServiceState } from '../endpoints/all.ts';
import type { PodContext } from './gateway-api/view.ts';

/** What of a service its dialects speak of. */
export interface DialectState extends ServiceState {
  readonly place: PodContext;
  /** The most bytes of content a request may have; of go-httpbin's responses too. */
  readonly maxBodySize: number;
}
