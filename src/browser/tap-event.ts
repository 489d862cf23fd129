import type { TapEvent } from '../telemetry/tap/event-schema.ts';

/** One line for an event. A client may have chosen any of the texts. */
export interface EventLine {
  readonly time: string;
  readonly kind: string;
  readonly connection: string | undefined;
  readonly text: string;
  readonly more: string;
  readonly isBad: boolean;
}

/** What is known of an event that is shown. */
export interface EventRow extends Pick<EventLine, 'connection' | 'isBad'> {
  readonly kind: string;
  /** Whether it is a request that the page itself has sent. */
  readonly isOwnRequest: boolean;
  /** What the filter searches, in lower case. */
  readonly text: string;
}

/** Parses server-sent events (WHATWG HTML 9.2) in the form of `/tap`: lines end with LF, and data is one line. */
export class EventParser {
  /** Id of the last event, from which `/tap` continues if it is sent as Last-Event-ID. */
  lastId: string | undefined;
  #rest = '';

  /** @param piece of the stream, which may end anywhere @returns the complete events */
  push(piece: string): TapEvent[] {
    const blocks = (this.#rest + piece).split('\n\n');
    this.#rest = blocks.pop() ?? '';
    return blocks.flatMap((block) => {
      const id = valueOf(block, 'id');
      if (id !== undefined) this.lastId = id;
      const event = eventIn(valueOf(block, 'data'));
      return event ? [event] : [];
    });
  }
}

function valueOf(block: string, name: string): string | undefined {
  const line = block.split('\n').find((other) => other.startsWith(`${name}: `));
  return line?.slice(name.length + 2);
}

function eventIn(json: string | undefined): TapEvent | undefined {
  try {
    const value: unknown = JSON.parse(json ?? '');
    return isEvent(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Whether a value is an event. Newer services may have other kinds, so further members are not checked. */
function isEvent(value: unknown): value is TapEvent {
  return (
    typeof value === 'object' && value !== null && 'kind' in value && typeof value.kind === 'string'
  );
}

export function lineOf(event: TapEvent): EventLine {
  const { time = '', conn, remote } = 'conn' in event ? event : {};
  const [words, more, isBad = false] = eventWords(event);
  return {
    time: /T([\d:.]+)Z/.exec(time)?.[1] ?? '',
    kind: event.kind.replaceAll('_', ' '),
    connection: conn,
    text: words,
    more: [...more, remote].filter(Boolean).join(' · '),
    isBad,
  };
}

type Words = readonly [text: string, more: readonly (string | null | undefined)[], isBad?: boolean];

function eventWords(event: TapEvent): Words {
  switch (event.kind) {
    case 'opened':
      return ['accepted', []];
    case 'handshake':
      return [event.version ?? '', [`ALPN ${event.alpn ?? 'none'}`, sniOf(event)]];
    case 'handshake_failed':
      return [reasonOf(event), [sniOf(event), event.ja4], true];
    case 'rejected':
      return [reasonOf(event), [event.method, event.path], true];
    case 'request':
      return requestWords(event);
    case 'closed':
      return [
        `by ${event.by}: ${event.reason}`,
        [count(event.requests, 'request'), milliseconds(event.duration_ms)],
      ];
    case 'lost':
      return [`${count(event.count, 'event')} missed: this page was too slow`, [], true];
    case 'end':
      return [event.reason, []];
    default:
      return ['', []];
  }
}

type EventOf<Kind> = Extract<TapEvent, { readonly kind: Kind }>;

function requestWords(event: EventOf<'request'>): Words {
  const { method, path, query, status, octets, complete, error_code: errorCode } = event;
  const target = path + (query === '' ? '' : `?${query}`);
  return [
    `${method} ${target} → ${status ?? 'no response'}`,
    [
      complete ? '' : 'not sent to its end',
      errorCode,
      count(octets, 'byte'),
      milliseconds(event.timing.duration_ms),
      event.protocol,
    ],
    !complete || errorCode !== undefined,
  ];
}

function sniOf({ sni }: EventOf<'handshake' | 'handshake_failed'>): string {
  return sni ? `SNI ${sni}` : '';
}

function reasonOf({ reason, code }: EventOf<'rejected' | 'handshake_failed'>): string {
  return code ? `${reason} (${code})` : reason;
}

function count(value: number, unit: string): string {
  return `${value.toLocaleString('en')} ${unit}${value === 1 ? '' : 's'}`;
}

function milliseconds(value: number): string {
  return `${value.toFixed(1)} ms`;
}
