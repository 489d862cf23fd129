import {
  arrayOf,
  COUNT,
  NUMBER,
  nullable,
  objectSchema,
  shape,
  TEXT,
  type Infer,
} from '../../server/schema.ts';

export const costSchema = objectSchema('BenchCost', {
  processes: {
    ...arrayOf(shape({ pid: COUNT, name: TEXT })),
    description: 'Those of the side on this machine, by --pid or by the port that they listen on.',
  },
  cpu_us_per_request: {
    ...nullable(NUMBER),
    description: 'Their user and system time at full load: the median of the rounds.',
  },
  memory_bytes: {
    ...nullable(shape({ resident: COUNT, peak: COUNT, proportional: nullable(COUNT) })),
    description:
      'Their resident memory after the last round, the most that it was since they began, and that with a share of the pages that several have (Pss).',
  },
  origin: {
    ...nullable(shape({ requests: COUNT, connections: COUNT, open_connections: COUNT })),
    description:
      'What the origin has counted in a round at full load: the medians of requests and of connections that were opened, and those open at the end. Null without --direct, or without --metrics-enabled there.',
  },
  note: { ...TEXT, description: 'Why something is not known, or not that of the side alone.' },
});
export type CostView = Infer<typeof costSchema>;
