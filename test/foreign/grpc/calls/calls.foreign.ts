import { beforeAll, describe, expect, test } from 'vitest';
import { CALL_FAULTS } from '../../../../src/grpc/faults.ts';
import { startService } from '../../../_service.ts';
import { comparedTable, type Column } from '../../faults/_table.ts';
import { callers } from './_callers.ts';
import { connections, messages, resets, statuses } from './_cases.ts';
import { cellsOfCases, cellsOfFaults, type WirebinCall } from './_measure.ts';
import type { ReadyCaller } from './_program.ts';

const PAGE = new URL('../../../../docs/measured/grpc.md', import.meta.url);

/** Requests of a response of 100 bytes, of three messages of 100 bytes, and of one of 5 MiB. */
const SMALL = { unary: Buffer.from('1064', 'hex'), stream: Buffer.from('38034064', 'hex') };
const LARGE = Buffer.from('3801408080c002', 'hex');

const faultsOf = (request: Buffer): (readonly [string, WirebinCall])[] =>
  Array.from(CALL_FAULTS.keys(), (fault) => [fault, { fault, request }] as const);

const calls = {
  unary: new Map(faultsOf(SMALL.unary)),
  stream: new Map([...faultsOf(SMALL.stream), ['a message of 5 MiB', { request: LARGE }]]),
} as const;

const ready: ReadyCaller[] = [];

beforeAll(async () => {
  for (const { name, prepare } of callers) {
    const caller = await prepare();
    if (typeof caller === 'string') console.log(`not run: ${name}: ${caller}`);
    else ready.push(caller);
  }
});

async function expectTable(
  name: string,
  rows: readonly string[],
  cells: (caller: ReadyCaller, at: number) => Promise<readonly string[]>,
): Promise<void> {
  const columns: Column[] = [];
  for (const [at, caller] of ready.entries()) {
    columns.push({ title: caller.version, cells: await cells(caller, at) });
  }
  const named = rows.map((row) => ['GET', row] as const);
  const { expected, found } = comparedTable(PAGE, name, named, columns);
  expect(found).toEqual(expected);
}

describe('what clients of gRPC make of', () => {
  test.each(['unary', 'stream'] as const)('faults of wirebin, %s', async (kind) => {
    const { port, service } = await startService([]);
    await expectTable(`faults-${kind}`, [...calls[kind].keys()], (caller, at) =>
      cellsOfFaults(caller, kind, port, String(at), calls[kind]),
    );
    service.close();
  });

  test.each(Object.entries({ resets, connections, statuses, messages }))(
    '%s',
    async (name, cases) => {
      await expectTable(name, Object.keys(cases), (caller) => cellsOfCases(caller, cases));
    },
  );
});
