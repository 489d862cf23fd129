/** An event of `/tap`: JSON, so every member may be missing. */
export type TapEvent = Readonly<Record<string, unknown>>;

/** What one line shows of an event. Any of it may have been chosen by a client. */
export interface EventLine {
  readonly time: string;
  readonly kind: string;
  readonly text: string;
  readonly more: string;
  readonly isBad: boolean;
}

/** Reads server-sent events (WHATWG HTML 9.2) as `/tap` writes them: lines end with LF, data is one line. */
export class EventParser {
  /** Of the last event: with it as Last-Event-ID, `/tap` goes on from there. */
  lastId: string | undefined;
  #rest = '';

  /** @param piece of the stream, which may end anywhere @returns the events that are complete */
  push(piece: string): TapEvent[] {
    const blocks = (this.#rest + piece).split('\n\n');
    this.#rest = blocks.pop() ?? '';
    return blocks.flatMap((block) => {
      const id = valueOf(block, 'id');
      if (id !== undefined) this.lastId = id;
      const event = objectOf(valueOf(block, 'data'));
      return event ? [event] : [];
    });
  }
}

function valueOf(block: string, name: string): string | undefined {
  const line = block.split('\n').find((other) => other.startsWith(`${name}: `));
  return line?.slice(name.length + 2);
}

function objectOf(json: string | undefined): TapEvent | undefined {
  try {
    const value: unknown = JSON.parse(json ?? '');
    return typeof value === 'object' && value !== null ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}

export function lineOf(event: TapEvent): EventLine {
  const time = /T([\d:.]+)Z/.exec(text(event['time']))?.[1] ?? '';
  const conn = event['conn'] === undefined ? '' : `connection ${text(event['conn'])}`;
  const kind = text(event['kind']);
  const [words, more, isBad = false] = wordsOf(kind, event);
  const joined = [...more, conn, text(event['remote'])].filter(Boolean).join(' · ');
  return { time, kind: kind.replaceAll('_', ' '), text: words, more: joined, isBad };
}

type Words = readonly [text: string, more: readonly string[], isBad?: boolean];

function wordsOf(kind: string, event: TapEvent): Words {
  const sni = event['sni'] ? [`SNI ${text(event['sni'])}`] : [];
  switch (kind) {
    case 'opened':
      return ['accepted', []];
    case 'handshake':
      return [text(event['version']), [`ALPN ${text(event['alpn']) || 'none'}`, ...sni]];
    case 'handshake_failed':
      return [reasonOf(event), [...sni, text(event['ja4'])], true];
    case 'rejected':
      return [reasonOf(event), [text(event['method']), text(event['path'])], true];
    case 'request':
      return requestWords(event);
    case 'closed':
      return [
        `by ${text(event['by']) || 'an error'}${event['reason'] ? `: ${text(event['reason'])}` : ''}`,
        [count(event['requests'], 'request'), milliseconds(event['duration_ms'])],
      ];
    case 'lost':
      return [`${count(event['count'], 'event')} missed: this page was too slow`, [], true];
    default:
      return [text(event['reason']), []];
  }
}

function requestWords(event: TapEvent): Words {
  const { timing } = event;
  const duration = typeof timing === 'object' && timing ? { ...timing } : {};
  const query = text(event['query']);
  const isWhole = event['complete'] !== false;
  const target = text(event['path']) + (query === '' ? '' : `?${query}`);
  return [
    `${text(event['method'])} ${target} → ${text(event['status']) || 'no response'}`,
    [
      ...(isWhole ? [] : ['not sent to its end']),
      text(event['error_code']),
      count(event['octets'], 'byte'),
      milliseconds('duration_ms' in duration ? duration.duration_ms : undefined),
      text(event['protocol']),
    ],
    !isWhole || event['error_code'] !== undefined,
  ];
}

function reasonOf(event: TapEvent): string {
  const code = text(event['code']);
  return text(event['reason']) + (code === '' ? '' : ` (${code})`);
}

function text(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}

function count(value: unknown, unit: string): string {
  if (typeof value !== 'number') return '';
  return `${value.toLocaleString('en')} ${unit}${value === 1 ? '' : 's'}`;
}

function milliseconds(value: unknown): string {
  return typeof value === 'number' ? `${value.toFixed(1)} ms` : '';
}
