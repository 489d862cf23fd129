import { statusText } from '../../../../src/wire/grpc/status.ts';
import type { Cases } from './_cases.ts';
import { Origin } from './_origin.ts';
import type { Call, CallReport, ReadyCaller } from './_program.ts';

/** Milliseconds, for each call. */
const DEADLINE = 3000;

const UNARY = '/grpc.testing.TestService/UnaryCall';
const STREAM = '/wirebin.v1.Wirebin/Respond';

/** How often a call arrived. */
interface Arrivals {
  readonly calls: number;
  readonly connections: number;
}

/** Characters of a text that are shown. */
const MAX_TEXT = 120;

/** A status message without the parts that differ with each run: addresses and durations. */
function words(text: string): string {
  const same = text
    .replaceAll(/(?:ipv4:)?127\.0\.0\.1:\d+/g, 'ADDRESS')
    // How long grpc-js waited for each of its steps.
    .replace(/(?<=Deadline exceeded) after .*/, '')
    .replaceAll(/[^\x20-\x7e]/g, '…');
  return same.length > MAX_TEXT ? `${same.slice(0, MAX_TEXT)}…` : same;
}

/** Above it, the number depends on the deadline. */
const MANY = 3;

const several = (count: number, noun: string): string =>
  `${count > MANY ? 'many' : count} ${noun}${count === 1 ? '' : 's'}`;

function statusOf(code: string): string {
  const text = /^\d+$/.test(code) ? statusText(Number(code)) : code;
  return text === code ? `status ${code}` : text;
}

/** How a column counts messages. */
interface Counted {
  readonly isStream: boolean;
  readonly dropsMessages: boolean;
}

/** The number of messages; of a unary call, only whether it succeeded without a message. */
function countOf(code: string, messages: number, { isStream, dropsMessages }: Counted): string {
  if (code !== '0' && dropsMessages) return '';
  if (isStream) return `, ${messages} message${messages === 1 ? '' : 's'}`;
  return code === '0' && messages === 0 ? ' without a message' : '';
}

/** As a sentence for people: how a call ended, and how often it arrived. */
function cellOf(
  { code, messages, text, values }: CallReport,
  { calls, connections }: Arrivals,
  counted: Counted,
): string {
  const parts = [statusOf(code) + countOf(code, messages, counted)];
  if (text !== '') parts.push(words(text));
  if (values !== '') parts.push(`a-bin ${values}`);
  if (calls !== 1) {
    const on = calls > 1 ? ` on ${several(connections, 'connection')}` : '';
    parts.push(several(calls, 'attempt') + on);
  }
  return parts.join('; ');
}

function cellsOf(
  names: readonly string[],
  reports: ReadonlyMap<string, CallReport>,
  arrivals: (name: string) => Arrivals,
  counted: Counted,
): string[] {
  return names.map((name) => {
    const report = reports.get(name);
    if (!report) throw new Error(`nothing is reported of ${name}`);
    return cellOf(report, arrivals(name), counted);
  });
}

/** Calls an origin of each of the cases. @returns a cell for each */
export async function cellsOfCases(caller: ReadyCaller, cases: Cases): Promise<string[]> {
  const origins = new Map<string, Origin>();
  const calls = new Map<string, Call>();
  for (const [name, behaviour] of Object.entries(cases)) {
    const origin = new Origin(behaviour);
    origins.set(name, origin);
    calls.set(name, {
      port: await origin.listen(),
      method: UNARY,
      kind: 'unary',
      request: Buffer.alloc(0),
      metadata: [],
      deadline: DEADLINE,
    });
  }
  try {
    const reports = await caller.make(calls);
    const arrivalsAt = (name: string): Arrivals =>
      origins.get(name) ?? { calls: 0, connections: 0 };
    const { dropsMessages } = caller;
    return cellsOf([...calls.keys()], reports, arrivalsAt, { isStream: false, dropsMessages });
  } finally {
    for (const origin of origins.values()) origin.close();
  }
}

/** A call to wirebin: the bytes of its request, of UnaryCall or of Respond, with a fault or without. */
export interface WirebinCall {
  readonly fault?: string;
  readonly request: Buffer;
}

async function arrivalsOf(port: number, key: string): Promise<Arrivals> {
  const response = await fetch(`http://127.0.0.1:${port}/journal/${key}`);
  if (response.status === 404) return { calls: 0, connections: 0 };
  const { entries } = (await response.json()) as { readonly entries: readonly { conn: string }[] };
  return { calls: entries.length, connections: new Set(entries.map(({ conn }) => conn)).size };
}

/** Calls wirebin with each of the faults. @param key of the journal, beside the name of a call */
export async function cellsOfFaults(
  caller: ReadyCaller,
  kind: Call['kind'],
  port: number,
  key: string,
  faults: ReadonlyMap<string, WirebinCall>,
): Promise<string[]> {
  const keyOf = (name: string): string => `${key}-${kind}-${name.replaceAll(/[^a-zA-Z0-9]/g, '-')}`;
  const calls = new Map(
    Array.from(faults, ([name, { fault, request }]): [string, Call] => {
      const metadata = [`x-wirebin-journal: ${keyOf(name)}`];
      if (fault !== undefined) metadata.push(`wirebin-fault: ${fault}`);
      const method = kind === 'unary' ? UNARY : STREAM;
      return [name, { port, method, kind, request, metadata, deadline: DEADLINE }];
    }),
  );
  const reports = await caller.make(calls);
  const names = [...calls.keys()];
  const arrivals = new Map<string, Arrivals>();
  for (const name of names) arrivals.set(name, await arrivalsOf(port, keyOf(name)));
  const arrivalsAt = (name: string): Arrivals => arrivals.get(name) ?? { calls: 0, connections: 0 };
  const { dropsMessages } = caller;
  return cellsOf(names, reports, arrivalsAt, { isStream: kind === 'stream', dropsMessages });
}
