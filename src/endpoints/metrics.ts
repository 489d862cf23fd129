import { negotiateMediaType } from '../http/accept.ts';
import { endpoint, type Endpoint } from '../server/endpoint.ts';
import { fieldValue } from '../http/fields.ts';
import { described, oneOf, optional } from '../server/params.ts';
import { json, reply } from '../server/reply.ts';
import {
  OPENMETRICS_TEXT,
  openMetricsText,
  PROMETHEUS_TEXT,
  prometheusText,
} from '../telemetry/prometheus.ts';
import { historySchema } from '../telemetry/history-schema.ts';
import type { MetricsSource } from '../telemetry/history.ts';
import { metricsObject, metricsSchema } from '../telemetry/statistics.ts';

/** Media types by the value of `format`. The first is for clients without a preference. */
const FORMATS = {
  prometheus: PROMETHEUS_TEXT,
  openmetrics: OPENMETRICS_TEXT,
  json: 'application/json',
} as const;
const OFFERS = [FORMATS.prometheus, FORMATS.openmetrics, FORMATS.json] as const;
/** `escaping` of an Accept from Prometheus 3. All its values are the same, because all names are ASCII. */
const ESCAPING = /;\s*escaping=[\w-]+/gi;
const VARY = { fields: ['Vary', 'Accept'] };

/** Served with --metrics-enabled only. Its own request is counted after its response. */
export function metricsEndpoint(metrics: MetricsSource): Endpoint {
  return endpoint({
    path: '/metrics',
    group: 'operations',
    ownOriginOnly: true,
    summary: 'Metrics for Prometheus; request counts as JSON.',
    setting: '--metrics-enabled',
    query: {
      format: described(
        'Overrides Accept.',
        optional(oneOf(['prometheus', 'openmetrics', 'json']), undefined),
      ),
    },
    responses: {
      200: {
        description: 'As JSON, also of the last hour.',
        content: OFFERS,
        schema: metricsSchema,
        fields: { Vary: 'Accept' },
      },
    },
    async handle({ request, query: { format } }) {
      const view = await metrics.view();
      const accept = fieldValue(request.fields, 'accept')?.replaceAll(ESCAPING, '');
      switch (format ? FORMATS[format] : negotiateMediaType(accept, OFFERS)) {
        // Also if the client accepts none of the types: text is more useful than 406 (RFC 9110 12.4.1).
        case PROMETHEUS_TEXT:
        case undefined:
          return reply(PROMETHEUS_TEXT, prometheusText(view), VARY);
        case OPENMETRICS_TEXT:
          return reply(OPENMETRICS_TEXT, openMetricsText(view), VARY);
        case 'application/json':
          return json(metricsObject(view), VARY);
      }
    },
  });
}

/** Served with --metrics-enabled only. */
export function historyEndpoint(metrics: MetricsSource): Endpoint {
  return endpoint({
    path: '/metrics/history',
    group: 'operations',
    ownOriginOnly: true,
    summary: 'The last 60 minutes, each with its requests, durations, connections and faults.',
    setting: '--metrics-enabled',
    responses: {
      200: {
        description: 'The minutes.',
        content: ['application/json'],
        schema: historySchema,
        fields: { 'Cache-Control': 'no-store' },
      },
    },
    handle: async () => json(await metrics.history(), { fields: ['Cache-Control', 'no-store'] }),
  });
}
