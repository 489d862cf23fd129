import { differs } from '../../_engine.ts';
import { createHash } from 'node:crypto';
import { brotliDecompressSync, constants, gunzipSync, inflateSync } from 'node:zlib';
import { expect } from 'vitest';

/** What a client sees of a response. */
export interface Seen {
  readonly interim: readonly number[];
  /** 0 if no response came; then the content is what came in its place. */
  readonly status: number;
  /** Names in the case in which they came, and values. */
  readonly fields: readonly (readonly [string, string])[];
  readonly content: Buffer;
  readonly trailers: readonly string[];
  /** Whether the message came to its end. */
  readonly isWhole: boolean;
}

/** The values of each parameter of the table. */
export const VALUES: Readonly<Record<string, readonly string[]>> = {
  status: ['503', '204'],
  header: ['X-A: 1&header=x-a: 2', 'Content-Type: text/css'],
  type: ['text/markdown'],
  body: ['caf%C3%A9'],
  base64: ['AAEC_w'],
  content: ['alphabet:2k', 'lines:30', 'random:600'],
  delay: ['2ms'],
  body_delay: ['2ms'],
  rate: ['1000000'],
  duration: ['3ms'],
  chunk: ['100'],
  framing: ['length', 'chunked', 'close'],
  encoding: [
    'gzip',
    'br',
    'deflate',
    'gzip&damage=truncated',
    'deflate&damage=checksum',
    'br&damage=trailing',
    'gzip&damage=not-coded',
  ],
  damage: ['truncated', 'checksum'],
  trailer: ['X-T: 1'],
  informational: ['103,102'],
  informational_header: ['Link: </a>'],
  digest: ['sha-256'],
  fault: [
    'close@2',
    'head,how=count,fields=20',
    'chunk,how=no-last',
    'rst-stream@headers',
    'slow-head,rate=100000',
    'garbage,length=7',
    'garbage@body,length=7',
  ],
  connection: ['close'],
};

/** Parameters that garbage in place of the response does not contradict. */
const BESIDE_GARBAGE = new Set(['fault', 'delay', 'informational', 'informational_header']);

/** Queries with each pair of values, also with content if the pair has none. */
export function pairs(): string[] {
  const all = Object.entries(VALUES).flatMap(([name, values]) =>
    values.map((value) => [name, `${name}=${value.replaceAll(' ', '%20')}`] as const),
  );
  return all.flatMap(([one, first], at) =>
    all.slice(at + 1).flatMap(([other, second]) => {
      if (one === other) return [];
      const query = `${first}&${second}`;
      const hasContent = [one, other].some((name) => ['body', 'base64', 'content'].includes(name));
      return hasContent ? [query] : [query, `${query}&body=hello%20there`];
    }),
  );
}

/** A query as a client means it. */
export class Oracle {
  readonly #given: URLSearchParams;
  readonly #isHttp1: boolean;

  constructor(query: string, isHttp1: boolean) {
    this.#given = new URLSearchParams(query);
    this.#isHttp1 = isHttp1;
  }

  #has(...names: string[]): boolean {
    return names.some((name) => this.#given.has(name));
  }

  #is(name: string, ...values: string[]): boolean {
    return values.includes(this.#given.get(name)?.split(/[,@]/)[0] ?? '');
  }

  /** Whether garbage is in place of the response, or of what follows its head. */
  get isGarbage(): boolean {
    return this.#is('fault', 'garbage');
  }

  get #hasHead(): boolean {
    return !this.isGarbage || this.#given.get('fault')?.includes('@') === true;
  }

  get #hasContent(): boolean {
    return this.#has('body', 'base64', 'content');
  }

  /** Pairs of parameters of which a 400 has to name one; empty if the query is right. */
  contradictions(): string[][] {
    const rules: [boolean, ...string[]][] = [
      [this.#has('body') && this.#has('base64'), 'body', 'base64'],
      [this.#has('body') && this.#has('content'), 'body', 'content'],
      [this.#has('base64') && this.#has('content'), 'base64', 'content'],
      [this.#has('rate') && this.#has('duration'), 'rate', 'duration'],
      [this.#has('damage') && !this.#has('encoding'), 'damage', 'needs encoding'],
      [this.#given.getAll('damage').length > 1, 'damage', 'more than once'],
      [this.#is('damage', 'checksum') && this.#is('encoding', 'br'), 'damage', 'encoding'],
      [this.#has('informational_header') && !this.#has('informational'), 'informational_header'],
      [
        this.#has('header') &&
          this.#given.getAll('header').join('').startsWith('Content') &&
          this.#has('type'),
        'type',
        'header',
      ],
      [this.#has('trailer') && this.#is('framing', 'length', 'close'), 'trailer', 'framing'],
      [this.#has('fault') && this.#has('trailer'), 'fault', 'trailer'],
      [this.#has('fault') && this.#has('connection'), 'fault', 'connection'],
      [this.#has('fault') && this.#is('framing', 'close'), 'fault', 'framing'],
      [this.#is('fault', 'chunk') && this.#is('framing', 'length'), 'fault', 'framing'],
      [
        this.#has('chunk') &&
          this.#is('framing', 'length', 'close') &&
          !this.#has('rate', 'duration'),
        'chunk',
        'framing',
      ],
    ];
    for (const name of ['body_delay', 'rate', 'duration', 'chunk', 'encoding', 'damage']) {
      rules.push([
        this.#has(name) && !this.#hasContent && !this.#has('fault'),
        name,
        'needs content',
      ]);
    }
    if (this.#is('status', '204')) {
      const names = `body base64 content body_delay rate duration chunk encoding damage framing trailer digest`;
      for (const name of names.split(' ')) rules.push([this.#has(name), 'status', name]);
    }
    if (!this.#hasHead) {
      const others = [...this.#given.keys()].filter((name) => !BESIDE_GARBAGE.has(name));
      for (const name of others) rules.push([true, 'fault', name]);
    }
    if (!this.#isHttp1) {
      rules.push([this.#is('framing', 'chunked', 'close'), 'framing']);
      rules.push([this.#is('fault', 'chunk'), 'chunk']);
      const isPaced = this.#has('body_delay', 'rate', 'duration', 'chunk');
      const isSlow = this.#is('fault', 'slow-head') && !differs('`/fault/slow-head`');
      rules.push([isSlow && isPaced, 'slow-head', 'sent at once']);
    } else rules.push([this.#is('fault', 'rst-stream'), 'rst-stream']);
    return rules.flatMap(([holds, ...names]) => (holds ? [names] : []));
  }

  /** Compares what came with what the query asks for. */
  check(seen: Seen): void {
    const fields = new Map(seen.fields.map(([name, value]) => [name.toLowerCase(), value]));
    expect(seen.interim).toEqual(this.#has('informational') ? [103, 102] : []);
    if (!this.#hasHead) {
      expect([seen.status, seen.content.length]).toEqual([0, 7]);
      return;
    }
    expect(seen.status).toBe(Number(this.#given.get('status') ?? 200));
    this.#checkFields(seen, fields);
    if (this.isGarbage) {
      const hasLength = this.#is('framing', 'length') || this.#is('status', '204');
      const coding = this.#isHttp1 && !hasLength ? 'chunked' : undefined;
      expect([seen.content.length, fields.get('transfer-encoding')]).toEqual([7, coding]);
      return;
    }
    this.#checkFraming(seen, fields);
    this.#checkContent(seen, fields);
    expect(seen.trailers).toEqual(this.#has('trailer') ? ['x-t: 1'] : []);
  }

  #checkFields({ fields: lines }: Seen, fields: ReadonlyMap<string, string>): void {
    const header = this.#given.getAll('header');
    const own = lines.filter(([name]) => name.toLowerCase() === 'x-a');
    const written = own.map(([name, value]) => `${name}: ${value}`);
    const expected = header.filter((line) => line.toLowerCase().startsWith('x-a'));
    expect(written).toEqual(this.#isHttp1 ? expected : expected.map((line) => line.toLowerCase()));
    const isCss = header.some((line) => line.startsWith('Content-Type'));
    const type = isCss ? 'text/css' : (this.#given.get('type') ?? this.#contentType());
    if (!this.#is('status', '204')) expect(fields.get('content-type')).toBe(type);
    expect(fields.get('content-encoding')).toBe(this.#given.get('encoding') ?? undefined);
    expect(lines.filter(([name]) => name === 'connection' || name === 'Connection')).toHaveLength(
      this.#isHttp1 ? 1 : 0,
    );
  }

  #contentType(): string | undefined {
    const isBytes = this.#has('base64') || this.#given.get('content')?.startsWith('random');
    if (isBytes) return 'application/octet-stream';
    return this.#hasContent || this.#has('fault') ? 'text/plain; charset=utf-8' : undefined;
  }

  #checkFraming({ isWhole, content }: Seen, fields: ReadonlyMap<string, string>): void {
    if (this.#is('status', '204')) return;
    const isChunked =
      this.#is('framing', 'chunked') ||
      this.#has('trailer') ||
      this.#is('fault', 'chunk') ||
      (this.#has('chunk') && !this.#has('rate', 'duration') && !this.#has('framing'));
    const hasLength = !isChunked && !this.#is('framing', 'close');
    expect(fields.has('content-length')).toBe(hasLength);
    const isFramed = this.#isHttp1 && isChunked;
    expect(fields.get('transfer-encoding')).toBe(isFramed ? 'chunked' : undefined);
    const isCut = this.#is('fault', 'close', 'chunk', 'rst-stream');
    expect(isWhole).toBe(!isCut);
    if (hasLength && isWhole) expect(content).toHaveLength(Number(fields.get('content-length')));
  }

  #checkContent({ content }: Seen, fields: ReadonlyMap<string, string>): void {
    if (this.#is('fault', 'rst-stream')) return;
    const isCut = this.#is('fault', 'close');
    if (isCut) expect(content.length).toBe(this.#is('status', '204') ? 0 : 2);
    if (isCut || this.#is('status', '204')) return;
    if (this.#has('digest')) {
      const digest = createHash('sha256').update(content).digest('base64');
      expect(fields.get('content-digest')).toBe(`sha-256=:${digest}:`);
      expect(fields.get('repr-digest')).toBe(`sha-256=:${digest}:`);
    }
    const decoded = this.#decode(content, fields.get('content-encoding'));
    const expected = this.#content();
    if (this.#is('damage', 'truncated')) {
      // What there is of it; random content cannot be compared.
      const whole = typeof expected === 'number' ? decoded : expected;
      expect(decoded).toEqual(whole.subarray(0, decoded.length));
      return;
    }
    if (typeof expected === 'number') expect(decoded).toHaveLength(expected);
    else expect(decoded.toString('latin1')).toBe(expected.toString('latin1'));
  }

  /** Decodes content, also what is damaged as asked. */
  #decode(content: Buffer, coding: string | undefined): Buffer {
    const decode = { gzip: gunzipSync, br: brotliDecompressSync, deflate: inflateSync };
    if (coding !== 'gzip' && coding !== 'br' && coding !== 'deflate') return content;
    const { BROTLI_OPERATION_FLUSH, Z_SYNC_FLUSH } = constants;
    const finishFlush = coding === 'br' ? BROTLI_OPERATION_FLUSH : Z_SYNC_FLUSH;
    switch (this.#given.get('damage')) {
      case 'not-coded':
        return content;
      case 'trailing':
        expect(content.subarray(-8).toString()).toBe('trailing');
        return decode[coding](content.subarray(0, -8));
      case 'truncated':
        expect(() => decode[coding](content)).toThrow();
        return decode[coding](content, { finishFlush });
      case 'checksum':
        expect(() => decode[coding](content)).toThrow();
        return decode[coding](content.subarray(0, coding === 'gzip' ? -8 : -4), { finishFlush });
      default:
        return decode[coding](content);
    }
  }

  /** The content, or its length if it is random. */
  #content(): Buffer | number {
    const body = this.#given.get('body');
    if (body !== null) return Buffer.from(body);
    const base64 = this.#given.get('base64');
    if (base64 !== null) return Buffer.from(base64, 'base64url');
    switch (this.#given.get('content')) {
      case 'alphabet:2k':
        return alphabet(2048);
      case 'lines:30':
        return Buffer.from(
          Array.from({ length: 30 }, (_, at) => `line ${String(at + 1).padStart(10, '0')}\n`).join(
            '',
          ),
        );
      case 'random:600':
        return 600;
      default:
        return this.#has('fault') ? alphabet(10_240) : Buffer.alloc(0);
    }
  }
}

function alphabet(length: number): Buffer {
  return Buffer.alloc(length, 'abcdefghijklmnopqrstuvwxyz');
}
