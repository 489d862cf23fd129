import type { MetricsView, Statistics } from './statistics.ts';

/** The content types of the two formats. */
export const PROMETHEUS_TEXT = 'text/plain; version=0.0.4; charset=utf-8';
export const OPENMETRICS_TEXT = 'application/openmetrics-text; version=1.0.0; charset=utf-8';

/** A metric family. */
interface Family {
  readonly type: 'counter' | 'gauge';
  /** Without the `_total` suffix of counters. */
  readonly name: string;
  readonly help: string;
  /** Serialized labels and value. */
  readonly samples: readonly (readonly [labels: string, value: number])[];
}

/** Prometheus text format 0.0.4, in which a counter family's name includes `_total`. */
export function prometheusText(view: MetricsView): string {
  return familiesOf(view)
    .map((family) => familyText(family, sampleName(family)))
    .join('');
}

/** OpenMetrics 1.0, in which a counter family's name has no `_total`. */
export function openMetricsText(view: MetricsView): string {
  const families = familiesOf(view).map((family) => familyText(family, family.name));
  return `${families.join('')}# EOF\n`;
}

function familiesOf({ all_time, last_hour }: MetricsView): Family[] {
  return [
    ...periodFamilies(all_time, 'counter', 'wirebin', 'since the start'),
    ...periodFamilies(last_hour, 'gauge', 'wirebin_last_hour', 'in the last 60 minutes'),
  ];
}

function periodFamilies(
  counted: Statistics,
  type: Family['type'],
  prefix: string,
  period: string,
): Family[] {
  const { total_requests, successes, failures, endpoint_hits, faults, chaos } = counted;
  const family = (name: string, help: string, samples: Family['samples']): Family => ({
    type,
    name: `${prefix}_${name}`,
    help: `${help} ${period}.`,
    samples,
  });
  return [
    family('requests', 'Requests', [['', total_requests]]),
    family('successes', 'Responses with status 2xx', [['', successes]]),
    family('failures', 'Responses with status 400 and above', [['', failures]]),
    family('endpoint_hits', 'Requests by path pattern', labelled('endpoint', endpoint_hits)),
    family('faults', 'Faults that requests asked for', labelled('kind', faults)),
    family('chaos', 'Requests disturbed by --chaos', labelled('kind', chaos)),
    family(
      'proxy_protocol_faults',
      'Connections closed because of their PROXY header',
      labelled('reason', counted.proxy_faults),
    ),
    family('cuts', 'Connections and streams terminated', labelled('reason', counted.terminations)),
  ];
}

function labelled(label: string, counts: Readonly<Record<string, number>>): Family['samples'] {
  return Object.entries(counts).map(([value, count]) => [
    `{${label}="${escapeLabel(value)}"}`,
    count,
  ]);
}

function sampleName({ type, name }: Family): string {
  return type === 'counter' ? `${name}_total` : name;
}

function familyText(family: Family, name: string): string {
  const lines = [`# HELP ${name} ${family.help}`, `# TYPE ${name} ${family.type}`];
  for (const [labels, value] of family.samples) {
    lines.push(`${sampleName(family)}${labels} ${value}`);
  }
  return `${lines.join('\n')}\n`;
}

/** Both formats escape only these three characters in label values. */
function escapeLabel(value: string): string {
  return value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
}
