import { tapEventSchema } from '../src/telemetry/tap/event-schema.ts';
import { violations } from './_schema.ts';

/** One server-sent event (WHATWG HTML 9.2) of /tap, its data read as JSON. */
export interface SentEvent {
  readonly id: string | undefined;
  readonly event: string | undefined;
  readonly data: Record<string, unknown>;
}

/** The whole events of a stream, which are as declared; comments are left out. */
export function eventsOf(stream: string): SentEvent[] {
  return stream
    .slice(0, stream.lastIndexOf('\n\n') + 1)
    .split('\n\n')
    .map((block) => new Map(block.split('\n').map((line) => [field(line), line])))
    .filter((lines) => lines.has('data'))
    .map((lines) => ({
      id: lines.get('id')?.slice(4),
      event: lines.get('event')?.slice(7),
      data: dataOf(lines.get('data')?.slice(6) ?? ''),
    }));
}

function dataOf(json: string): Record<string, unknown> {
  const data = JSON.parse(json) as Record<string, unknown>;
  const [undeclared] = violations(tapEventSchema, data);
  if (undeclared !== undefined) throw new Error(`${undeclared}: ${json}`);
  return data;
}

function field(line: string): string {
  return line.slice(0, line.indexOf(':'));
}

/** The number in an event's id. */
export function numberOf(id: unknown): number {
  return Number(String(id).split('-')[1]);
}
