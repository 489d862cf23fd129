import type { RecordableHistogram } from 'node:perf_hooks';
import type { TargetOptions } from '../../check/target.ts';
import type { ThreadRateLoad } from './fixed-rate.ts';
import type { ThreadFullLoad } from './full-load.ts';
import type { LoadPlan, LoadTimes } from './generator.ts';
import type { Counts } from './tally.ts';

/** A call to a thread of the load, which replies to each call once and in order. */
export type Call =
  | { readonly kind: 'open'; readonly plan: SentPlan }
  | { readonly kind: 'full'; readonly times: LoadTimes }
  | {
      readonly kind: 'fixed';
      readonly times: LoadTimes;
      readonly rate: number;
      readonly offset: number;
    }
  | { readonly kind: 'finish' }
  | { readonly kind: 'close' };

export type Reply =
  | { readonly kind: 'open' | 'close' }
  | { readonly kind: 'full'; readonly load: ThreadFullLoad }
  | { readonly kind: 'fixed'; readonly load: ThreadRateLoad }
  | {
      readonly kind: 'finish';
      readonly counts: Counts;
      /** As of `Latencies`, which cannot be sent. */
      readonly latencies: RecordableHistogram;
    }
  | { readonly kind: 'failed'; readonly reason: string };

/** A plan as it is sent to a thread. URLs cannot be sent. */
export type SentPlan = Omit<LoadPlan, 'target'> & {
  readonly target: Omit<TargetOptions, 'url'> & { readonly url: string };
};

export function sentPlan(plan: LoadPlan): SentPlan {
  const { target } = plan;
  return { ...plan, target: { ...target, url: target.url.href, origins: undefined } };
}

/** The plan that was sent. Buffers arrive as another type. */
export function receivedPlan({ target, ...plan }: SentPlan): LoadPlan {
  const { url, ca, cert, key } = target;
  return {
    ...plan,
    target: {
      ...target,
      url: new URL(url),
      ca: typeof ca === 'string' ? ca : ca && Buffer.from(ca),
      cert: cert && Buffer.from(cert),
      key: key && Buffer.from(key),
    },
  };
}
