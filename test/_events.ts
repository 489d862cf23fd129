/** One server-sent event (WHATWG HTML 9.2), its data read as JSON. */
export interface SentEvent {
  readonly id: string | undefined;
  readonly event: string | undefined;
  readonly data: Record<string, unknown>;
}

/** The whole events of a stream; comments are left out. */
export function eventsOf(stream: string): SentEvent[] {
  return stream
    .slice(0, stream.lastIndexOf('\n\n') + 1)
    .split('\n\n')
    .map((block) => new Map(block.split('\n').map((line) => [field(line), line])))
    .filter((lines) => lines.has('data'))
    .map((lines) => ({
      id: lines.get('id')?.slice(4),
      event: lines.get('event')?.slice(7),
      data: JSON.parse(lines.get('data')?.slice(6) ?? '') as Record<string, unknown>,
    }));
}

function field(line: string): string {
  return line.slice(0, line.indexOf(':'));
}

/** The number in an event's id. */
export function numberOf(id: unknown): number {
  return Number(String(id).split('-')[1]);
}
