import type { Endpoint } from '../http/endpoint.ts';
import type { Metrics } from '../views/metrics.ts';
import { anything } from './anything.ts';
import { healthz } from './healthz.ts';
import { readyz } from './readyz.ts';

/** What of the running service some endpoints speak of. */
export interface ServiceState {
  readonly isDraining: () => boolean;
  /** undefined where they are off. */
  readonly metrics: Metrics | undefined;
}

/** Every endpoint, in the order of the index page. */
export function allEndpoints({ isDraining }: ServiceState): readonly Endpoint[] {
  return [...anything, healthz, readyz(isDraining)];
}
