import { readCredential } from '../../../src/quic/tls/credential.ts';
import type { HandshakeFailure } from '../../../src/quic/tls/failure.ts';
import {
  ClientHandshake,
  type ClientHandshakeOptions,
} from '../../../src/quic/tls/client-handshake.ts';
import type { TrafficSecrets } from '../../../src/quic/tls/key-schedule.ts';
import type { Level } from '../../../src/quic/tls/message-reader.ts';
import {
  ServerHandshake,
  type ServerHandshakeOptions,
} from '../../../src/quic/tls/server-handshake.ts';
import type { Session } from '../../../src/quic/tls/session.ts';
import type { Violation } from '../../../src/wire/quic/violation.ts';
import { keys } from './_keys.ts';

export const NOW = Date.UTC(2027, 0, 1);
export const TICKET_KEY = Buffer.alloc(32, 7);
export const CLIENT_PARAMETERS = Buffer.from('client parameters');
export const SERVER_PARAMETERS = Buffer.from('server parameters');
export const P256 = readCredential(keys.p256.cert, keys.p256.key);

/** A message on its way. */
export interface Flight {
  readonly level: Level;
  bytes: Buffer;
}

/** What a side has told its connection. */
export class Recorder {
  readonly output: Flight[] = [];
  readonly secrets: Partial<Record<Level, TrafficSecrets>> = {};
  readonly sessions: Session[] = [];
  peerParameters = '';
  completions = 0;
}

export interface PairOptions {
  readonly server?: Partial<ServerHandshakeOptions>;
  readonly client?: Partial<ClientHandshakeOptions>;
  readonly serverParameters?: Buffer | Violation;
  readonly brokenServerParameters?: Violation;
}

/** A client and a server in memory. */
export class Pair {
  readonly server: ServerHandshake;
  readonly client: ClientHandshake;
  readonly atServer = new Recorder();
  readonly atClient = new Recorder();
  serverFailure: HandshakeFailure | undefined;
  clientFailure: HandshakeFailure | undefined;

  constructor(options: PairOptions = {}) {
    const { serverParameters = SERVER_PARAMETERS } = options;
    this.server = new ServerHandshake({
      credentials: [P256],
      alpn: ['h3'],
      ticketKey: TICKET_KEY,
      now: NOW,
      events: {
        ...eventsOf(this.atServer),
        transportParameters: (client) => {
          this.atServer.peerParameters = Buffer.from(client).toString();
          return serverParameters;
        },
      },
      ...options.server,
    });
    this.client = new ClientHandshake({
      serverName: 'p256.example',
      alpn: ['h3'],
      transportParameters: CLIENT_PARAMETERS,
      verification: undefined,
      now: NOW,
      events: {
        ...eventsOf(this.atClient),
        transportParameters: (server) => {
          this.atClient.peerParameters = Buffer.from(server).toString();
          return options.brokenServerParameters;
        },
        session: (session) => this.atClient.sessions.push(session),
      },
      ...options.client,
    });
  }

  /**
   * Delivers all messages until none is left, or a side fails.
   *
   * @param change what happens to a message on its way
   * @param size bytes of a piece
   */
  run(
    change: (flight: Flight, from: 'client' | 'server') => void = () => {},
    size = 2 ** 20,
  ): this {
    this.client.start();
    let isMoving = true;
    while (isMoving) {
      isMoving = false;
      for (const flight of this.atClient.output.splice(0)) {
        isMoving = true;
        change(flight, 'client');
        for (const piece of pieces(flight.bytes, size))
          this.serverFailure ??= this.server.receive(flight.level, piece);
      }
      for (const flight of this.atServer.output.splice(0)) {
        isMoving = true;
        change(flight, 'server');
        for (const piece of pieces(flight.bytes, size))
          this.clientFailure ??= this.client.receive(flight.level, piece);
      }
    }
    return this;
  }
}

function eventsOf(recorder: Recorder) {
  return {
    output: (level: Level, bytes: Buffer) => void recorder.output.push({ level, bytes }),
    secrets: (level: Level, secrets: TrafficSecrets) => void (recorder.secrets[level] = secrets),
    complete: () => void recorder.completions++,
  };
}

function pieces(bytes: Buffer, size: number): Buffer[] {
  const list: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += size) list.push(bytes.subarray(at, at + size));
  return list;
}
