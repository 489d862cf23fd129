import { familiesOf, type Family, type Labels } from './families.ts';
import type { MetricsView } from './statistics.ts';

/** The content types of the two formats. */
export const PROMETHEUS_TEXT = 'text/plain; version=0.0.4; charset=utf-8';
export const OPENMETRICS_TEXT = 'application/openmetrics-text; version=1.0.0; charset=utf-8';

/** Prometheus text format 0.0.4, in which a counter family's name includes `_total`. */
export function prometheusText(view: MetricsView): string {
  return familiesOf(view)
    .map((family) =>
      familyText(family, family.type === 'counter' ? `${family.name}_total` : family.name),
    )
    .join('');
}

/** OpenMetrics 1.0, in which a counter family's name has no `_total`. */
export function openMetricsText(view: MetricsView): string {
  const families = familiesOf(view).map((family) => familyText(family, family.name));
  return `${families.join('')}# EOF\n`;
}

function familyText({ type, name: base, help, samples }: Family, name: string): string {
  let text = `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n`;
  for (const { suffix, labels, value } of samples) {
    text += `${base}${suffix}${labelText(labels)} ${value}\n`;
  }
  return text;
}

function labelText(labels: Labels): string {
  let text = '';
  for (const name in labels) {
    text += `${text === '' ? '{' : ','}${name}="${escapeLabel(labels[name] ?? '')}"`;
  }
  return text === '' ? '' : `${text}}`;
}

/** Both formats escape only these three characters in label values. */
function escapeLabel(value: string): string {
  return value.replace(/[\\"\n]/g, (character) => (character === '\n' ? '\\n' : `\\${character}`));
}
