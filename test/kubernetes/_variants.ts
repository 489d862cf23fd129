/** A component of Kustomize, and the value of the chart that stands for it. */
const SWITCHES = {
  gateway: 'gateway',
  routes: 'routes',
  'backend-tls': 'backendTls',
  mtls: 'mtls',
  monitoring: 'monitoring',
  hpa: 'hpa',
  'network-policy': 'networkPolicy',
} as const;

type Component = keyof typeof SWITCHES;

/** Components in the order of docs/kubernetes.md. */
export type Variant = readonly Component[];

const each = Object.keys(SWITCHES) as Component[];

/** `mtls` includes `backend-tls`. */
export const everything: Variant = each.filter((name) => name !== 'backend-tls');

/** The base, each component by itself, and those that change each other. */
export const variants: readonly Variant[] = [
  [],
  ...each.map((name) => [name]),
  ['gateway', 'routes', 'backend-tls'],
  ['gateway', 'routes', 'mtls'],
  ['routes', 'mtls', 'monitoring'],
  everything,
];

/** All that can be combined, which is 96; neighbours differ in one or two components. */
export const combinations: readonly Variant[] = each
  .filter((name) => name !== 'mtls')
  .reduce<Variant[]>(
    (shorter, name) =>
      alternatives(name).flatMap((added, nth) => {
        const longer = shorter.map((variant) => [...variant, ...added]);
        return nth % 2 === 0 ? longer : longer.toReversed();
      }),
    [[]],
  );

function alternatives(name: Component): Variant[] {
  return name === 'backend-tls' ? [[], [name], ['mtls']] : [[], [name]];
}

export function valuesOf(variant: Variant): object {
  return Object.fromEntries(variant.map((name) => [SWITCHES[name], { enabled: true }]));
}
