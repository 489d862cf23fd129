import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { afterAll, beforeAll, expect, vi } from 'vitest';
import { openClient, type Client } from '../../_client.ts';
import { startService, type Running } from '../../_service.ts';
import { startRelay, type Relay, type Witnessed } from '../../proxies/_relay.ts';
import { compareHttp1 } from './_compare-http1.ts';
import { compareHttp2 } from './_compare-http2.ts';
import { differencesOf } from './_differences.ts';
import type { Compared, Plaintext, Story, TlsSide } from './_story.ts';
import { decrypt, readRecords, type Decrypted, type TlsRecord } from './_tls-records.ts';
import { echoOf } from '../../_echo.ts';

/** Records kept of each side of a TLS connection, whatever the settings are. */
const RECORDS = 64;

/** What was compared. */
export interface Result {
  readonly connections: number;
  readonly requests: number;
  readonly wires: number;
  readonly refused: number;
  readonly bytes: number;
  readonly records: number;
  readonly differences: readonly string[];
}

/** wirebin with --inspect, and a recorder before it. */
export class Measure {
  readonly #running: Running;
  readonly #relay: Relay;
  readonly #keyLog: string;
  /** Of the connections; their ids are in base 36. */
  #last = 0;
  readonly #stories = new Map<string, Story>();
  readonly #client: Client;
  /** Connections that were compared. */
  #compared = 0;

  private constructor(running: Running, relay: Relay, keyLog: string) {
    this.#running = running;
    this.#relay = relay;
    this.#keyLog = keyLog;
    this.#client = openClient('http/1.1', running.port);
  }

  /** @param directory for the TLS secrets */
  static async start(directory: string): Promise<Measure> {
    const keyLog = join(directory, 'keylog');
    const running = await startService(
      '--inspect',
      '--tap-secrets',
      '--tap',
      '--tls-keylog',
      keyLog,
      '--inspect-memory',
      '4000',
      '--inspect-connection-memory',
      String(2 ** 28),
    );
    const measure = new Measure(running, await startRelay(running.port), keyLog);
    const { body } = await measure.#client.request('/get');
    const { conn } = echoOf(body);
    measure.#last = Number.parseInt(conn.id, 36);
    return measure;
  }

  /** Where the recorder listens. */
  get port(): number {
    return this.#relay.port;
  }

  get connections(): number {
    return this.#relay.witnessed.length;
  }

  close(): void {
    this.#client.close();
    void this.#relay.close();
    this.#running.service.close();
  }

  /**
   * Waits until all connections since the last call are closed, and compares them.
   *
   * @param decode whether to decode HPACK by another decoder
   */
  async compare(decode: boolean): Promise<Result> {
    const recorded = this.#relay.witnessed
      .slice(this.#compared)
      .filter(({ sent }) => sent().length > 0);
    this.#compared = this.#relay.witnessed.length;
    const stories = await vi.waitFor(
      async () => {
        await this.#refresh();
        return recorded.map((witnessed) => this.#storyOf(witnessed));
      },
      { timeout: 30_000, interval: 100 },
    );
    if (stories.some(({ tls }) => tls)) await this.#secretsWritten();
    const read = recorded.flatMap((witnessed, at) => {
      const story = stories[at];
      return story ? [this.#read(witnessed, story)] : [];
    });
    const http2 = read.filter(({ story }) => story.http2 !== undefined);
    const compared = [
      ...read
        .filter(({ story }) => !story.http2)
        .map((each) => Object.assign(compareOthers(each), each)),
      ...compareHttp2(http2, decode).map((each, at) => Object.assign(each, http2[at] as Read)),
    ];
    const sum = (of: (each: Read & Compared) => number): number =>
      compared.reduce((total, each) => total + of(each), 0);
    return {
      connections: compared.length,
      requests: sum(({ requests }) => requests),
      wires: sum(({ wires }) => wires),
      refused: sum(({ refused }) => refused),
      bytes: sum(({ bytes }) => bytes),
      records: sum(({ records }) => records),
      differences: compared.flatMap(({ story, below, differences }) =>
        below
          .concat(differences)
          .map((text) => `connection ${story.id} (${story.protocol}): ${text}`),
      ),
    };
  }

  #read({ sent, answered }: Witnessed, story: Story): Read {
    const { reads, writes } = story.tcp;
    // What arrives after wirebin has closed, or before a reset, may not be read.
    const isRead =
      !story.closed || story.tcp.ends.some(({ by, how }) => by === 'client' && how === 'fin');
    const client = isRead ? sent() : sent().subarray(0, reads.bytes);
    const server = answered();
    const below = [
      ...differencesOf('bytes read', reads.bytes, client.length),
      ...differencesOf('bytes written', writes.bytes, server.length),
      ...(['reads', 'writes'] as const).flatMap((name) => {
        const { at_ms_and_bytes: kept, count, left_out, bytes } = story.tcp[name];
        const total = kept.reduce((sum, [, size]) => sum + size, 0);
        return differencesOf(`${name} kept`, kept.length + left_out, count).concat(
          left_out === 0 ? differencesOf(`${name} together`, total, bytes) : [],
        );
      }),
    ];
    const bytes = client.length + server.length;
    if (!story.tls) {
      return { story, plaintext: { client, server, carried: undefined }, below, bytes, records: 0 };
    }
    const records = { client: readRecords(client), server: readRecords(server) };
    const plain = this.#decrypt(records);
    below.push(...leaveOutUnread(story, plain.client));
    for (const from of ['client', 'server'] as const) {
      below.push(...recordDifferences(from, story, records[from], plain[from]));
    }
    const plaintext = {
      client: plain.client.plaintext,
      server: plain.server.plaintext,
      carried: { client: plain.client.carried, server: plain.server.carried },
    };
    const count = records.client.length + records.server.length;
    return { story, plaintext, below, bytes, records: count };
  }

  /**
   * Waits until the key log has the secrets of all connections so far. wirebin does not wait for the file,
   * but writes in order: when those of one more connection are there, those before are too.
   */
  async #secretsWritten(): Promise<void> {
    const secret = await new Promise<string>((resolve, reject) => {
      const socket = connect({ port: this.#running.port, rejectUnauthorized: false });
      socket.on('keylog', (line: Buffer) => {
        if (!line.includes('CLIENT_TRAFFIC_SECRET_0')) return;
        resolve(line.toString('latin1'));
        socket.end();
      });
      socket.on('error', reject);
    });
    await vi.waitFor(() => expect(readFileSync(this.#keyLog, 'latin1')).toContain(secret), {
      timeout: 30_000,
      interval: 20,
    });
  }

  #decrypt({ client, server }: { client: TlsRecord[]; server: TlsRecord[] }) {
    const keyLog = readFileSync(this.#keyLog, 'latin1');
    const [clientHello, serverHello] = [client[0]?.content, server[0]?.content];
    const nothing = { plaintext: Buffer.alloc(0), carried: [], alerts: [] };
    // The client closed before the handshake.
    if (!clientHello || !serverHello) return { client: nothing, server: nothing };
    return {
      client: decrypt('CLIENT', client, clientHello, serverHello, keyLog),
      server: decrypt('SERVER', server, clientHello, serverHello, keyLog),
    };
  }

  /** Fetches the stories of new connections, and those of open ones again. */
  async #refresh(): Promise<void> {
    for (const { id, closed } of this.#stories.values()) if (!closed) await this.#fetch(id);
    while (await this.#fetch((this.#last + 1).toString(36))) this.#last++;
  }

  /** @throws if it may not be complete: it is not closed, and not all bytes were read and written */
  #storyOf(witnessed: Witnessed): Story {
    const { peer, sent, answered } = witnessed;
    // A port may have been used again.
    const isFromPeer = (each: { peer: string }): boolean => each.peer === peer();
    const before = this.#relay.witnessed
      .slice(0, this.#relay.witnessed.indexOf(witnessed))
      .filter((each) => each.peer() === peer()).length;
    const story = [...this.#stories.values()].filter(isFromPeer)[before];
    const { reads, writes } = story?.tcp ?? {};
    // Node 20 keeps some connections open that nghttp2 has given up.
    const isRead = reads?.bytes === sent().length && writes?.bytes === answered().length;
    if (story && (story.closed || isRead)) return story;
    throw new Error(`the connection from ${peer()} is not closed`);
  }

  /** @returns whether there is such a connection */
  async #fetch(id: string): Promise<boolean> {
    const { status, body } = await this.#client.request(`/connections/${id}`);
    if (status === 404) return false;
    const story = JSON.parse(body.toString()) as Story;
    this.#stories.set(story.id, story);
    return true;
  }
}

/** wirebin with a recorder before it, for the tests around the call. */
export function sharedMeasure(): () => Measure {
  let directory = '';
  let measure: Measure | undefined;
  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), 'wirebin-recorder-'));
    measure = await Measure.start(directory);
  });
  afterAll(() => {
    measure?.close();
    // Windows keeps a file until the last who has opened it has closed it.
    rmSync(directory, { recursive: true, maxRetries: 10 });
  });
  return () => {
    if (!measure) throw new Error('it has not started');
    return measure;
  };
}

/** A connection, with what differs below HTTP. */
interface Read {
  readonly story: Story;
  readonly plaintext: Plaintext;
  readonly below: readonly string[];
  readonly bytes: number;
  readonly records: number;
}

function compareOthers({ story, plaintext }: Read): Compared {
  if (story.http1) return compareHttp1(story, plaintext);
  const { client } = plaintext;
  const said = story.undetected ?? { bytes: '', length: 0 };
  const expected = { bytes: client.toString('latin1'), length: client.length };
  return {
    differences: differencesOf('undetected', said, expected),
    requests: 0,
    wires: 0,
    refused: 0,
  };
}

/** Leaves out what wirebin did not read before it closed. */
function leaveOutUnread({ closed, tls }: Story, client: Decrypted): string[] {
  const { records, bytes } = tls?.unread ?? { records: 0, bytes: 0 };
  const end = client.carried.length - records;
  const left = client.carried.splice(end).reduce((sum, { length }) => sum + length, 0);
  client.plaintext = client.plaintext.subarray(0, client.plaintext.length - left);
  return differencesOf('bytes unread', closed ? bytes : 0, left);
}

function recordDifferences(
  from: 'client' | 'server',
  { tls, events }: Story,
  records: readonly TlsRecord[],
  { alerts, carried }: Decrypted,
): string[] {
  const side = tls?.[from];
  if (!side) return ['no TLS records'];
  const said = events
    // Alerts and handshake messages have no offset.
    .filter((event) => event.layer === 'tls' && event.from === from && 'offset' in event)
    .map(({ record, type, version, length, offset, http }) => ({
      record,
      type,
      version,
      length,
      offset,
      http,
    }));
  const httpOf = (number: number): object | undefined => {
    const found = carried.find(({ record }) => record === number);
    return found && { offset: found.offset, length: found.length };
  };
  return [
    ...differencesOf(
      `${from} records`,
      said,
      records.slice(0, RECORDS).map(({ view }, at) => Object.assign({ http: httpOf(at) }, view)),
    ),
    ...differencesOf(`${from} records by type`, side.records, totalsOf(records)),
    ...differencesOf(
      `${from} records left out`,
      side.records_left_out,
      Math.max(0, records.length - RECORDS),
    ),
    ...differencesOf(`${from} close_notify`, side.close_notify.sent, alerts.includes(0)),
  ];
}

function totalsOf(records: readonly TlsRecord[]): TlsSide['records'] {
  const totals: Record<string, { records: number; bytes: number }> = {};
  for (const { view } of records) {
    const total = (totals[String(view['type'])] ??= { records: 0, bytes: 0 });
    total.records++;
    total.bytes += Number(view['length']);
  }
  return totals;
}
