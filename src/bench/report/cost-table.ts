import type { CostView } from '../cost/schema.ts';
import { count, type Table } from './cells.ts';
import type { Report } from './report.ts';

/** The members of a cost that are shown. */
export type ShownCost = Pick<
  CostView,
  'cpu_us_per_request' | 'memory_bytes' | 'origin' | 'note'
> & {
  readonly processes: readonly Pick<CostView['processes'][number], 'name'>[];
};

/** A row of which the costs are shown. */
interface Costly {
  readonly scenario: string;
  readonly protocol: string;
  readonly target: { readonly cost: ShownCost | null };
  readonly baseline: { readonly cost: ShownCost | null } | null;
}

interface SideCost extends ShownCost {
  readonly row: Costly;
  readonly side: string;
}

function costsOf(rows: readonly Costly[], names: Report['names']): SideCost[] {
  return rows.flatMap((row) =>
    (
      [
        [names?.target ?? 'target', row.target.cost],
        [names?.baseline ?? 'baseline', row.baseline?.cost],
      ] as const
    ).flatMap(([side, cost]) => (cost ? [{ ...cost, row, side }] : [])),
  );
}

const HEAD = [
  'scenario',
  'protocol',
  'side',
  'processes',
  'CPU us',
  'memory MB',
  'peak MB',
  'own MB',
  'requests',
  'connections',
  'open',
];

/** What a request costs each side, and the connections to the origin; undefined if nothing of it is known. */
export function costTable(rows: readonly Costly[], names: Report['names']): Table | undefined {
  const known = costsOf(rows, names).filter(
    ({ processes, origin }) => processes.length > 0 || origin !== null,
  );
  if (known.length === 0) return undefined;
  return {
    caption: 'Costs',
    head: HEAD,
    rows: known.map(costCells),
    isNumeric: (column) => column > 3,
  };
}

function costCells({
  row,
  side,
  processes,
  cpu_us_per_request: cpu,
  memory_bytes: memory,
  origin,
}: SideCost): string[] {
  return [
    row.scenario,
    row.protocol,
    side,
    // The names of masters and workers are the same.
    `${processes.length} ${processes[0]?.name ?? ''}`,
    cpu?.toFixed(1) ?? '',
    megabytes(memory?.resident),
    megabytes(memory?.peak),
    megabytes(memory?.proportional),
    origin ? count(origin.requests) : '',
    origin ? count(origin.connections) : '',
    origin ? count(origin.open_connections) : '',
  ];
}

const megabytes = (bytes: number | null | undefined): string =>
  bytes ? (bytes / 1e6).toFixed(1) : '';

/** Why costs are not known, or not those of a side alone: each reason once. */
export function costNotes(rows: readonly Costly[], names: Report['names']): string[] {
  const notes = costsOf(rows, names).filter(({ note }) => note !== '');
  return [...new Set(notes.map(({ side, note }) => `cost of ${side}: ${note}`))];
}
