import { parse } from 'yaml';
import { read } from './_deploy.ts';

const folder = 'deploy/helm/wirebin/files';

interface PrometheusRule {
  readonly spec: {
    readonly groups: readonly {
      readonly rules: readonly { readonly alert: string; readonly expr: string }[];
    }[];
  };
}

interface Dashboard {
  readonly panels: readonly {
    readonly title: string;
    readonly targets: readonly { readonly expr: string; readonly legendFormat: string }[];
  }[];
  readonly templating: { readonly list: readonly { readonly query: string }[] };
}

/** What Prometheus itself reads of the PrometheusRule. */
export const { spec: rules } = parse(read(`${folder}/prometheusrule.yaml`)) as PrometheusRule;
export const alerts = rules.groups.flatMap((group) => group.rules);

export const dashboard = JSON.parse(read(`${folder}/dashboard.json`)) as Dashboard;
export const panels = dashboard.panels.flatMap(({ title, targets }) =>
  targets.map((target) => ({ title, ...target })),
);
