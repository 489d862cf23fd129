import { negotiateMediaType } from '../http/accept.ts';
import { endpoint, type Endpoint } from '../server/endpoint.ts';
import { fieldValue } from '../http/fields.ts';
import { json, reply } from '../server/reply.ts';
import {
  OPENMETRICS_TEXT,
  openMetricsText,
  PROMETHEUS_TEXT,
  prometheusText,
} from '../telemetry/prometheus.ts';
import { metricsObject, metricsSchema, type MetricsSource } from '../telemetry/statistics.ts';

const OFFERS = ['application/json', PROMETHEUS_TEXT, OPENMETRICS_TEXT] as const;
const VARY = { fields: ['Vary', 'Accept'] };

/** Served with --metrics-enabled only. Its own request is counted after the response. */
export function metricsEndpoint(metrics: MetricsSource): Endpoint {
  return endpoint({
    path: '/metrics',
    group: 'operations',
    summary: 'Request metrics, as JSON or in the Prometheus and OpenMetrics text formats.',
    setting: '--metrics-enabled',
    responses: {
      200: {
        description: 'Requests since the start and in the last 60 minutes.',
        content: OFFERS,
        schema: metricsSchema,
        fields: { Vary: 'Accept' },
      },
    },
    async handle({ request }) {
      const view = await metrics.view();
      switch (negotiateMediaType(fieldValue(request.fields, 'accept'), OFFERS)) {
        case PROMETHEUS_TEXT:
          return reply(PROMETHEUS_TEXT, prometheusText(view), VARY);
        case OPENMETRICS_TEXT:
          return reply(OPENMETRICS_TEXT, openMetricsText(view), VARY);
        // If nothing is acceptable, JSON is more useful than 406 (RFC 9110 12.4.1).
        case 'application/json':
        case undefined:
          return json(metricsObject(view), VARY);
      }
    },
  });
}
