import type { ServiceState } from '../endpoints/all.ts';
import type { Place } from '../views/dialects/gateway-api.ts';

/** What of a service its dialects speak of. */
export interface DialectState extends ServiceState {
  readonly place: Place;
  /** The most octets of content a request may have; of go-httpbin's responses too. */
  readonly maxBodySize: number;
}
