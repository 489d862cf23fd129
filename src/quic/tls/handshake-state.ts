import { HandshakeType } from '../../wire/tls/handshake-reader.ts';

/** The message that a server waits for (RFC 9846 A.2). It has sent its own Finished when it waits for the client's. */
export type ServerState = 'wait-hello' | 'wait-second-hello' | 'wait-finished' | 'connected';
/** The outcome of a message. */
export type ServerStep = 'retried' | 'answered' | 'finished';

/** The message that a client waits for (RFC 9846 A.1). */
export type ClientState =
  | 'wait-server-hello'
  | 'wait-second-server-hello'
  | 'wait-extensions'
  | 'wait-extensions-resumed'
  | 'wait-certificate-or-request'
  | 'wait-certificate'
  | 'wait-certificate-verify'
  | 'wait-finished'
  | 'connected';
export type ClientStep =
  | 'retried'
  | 'selected'
  | 'resumed'
  | 'extensions'
  | 'requested'
  | 'certificate'
  | 'verified'
  | 'finished'
  | 'ticket';

/** The states of a handshake, and the steps that each allows. */
export interface StateMachine<State extends string, Step extends string> {
  readonly transitions: Readonly<Record<State, Readonly<Partial<Record<Step, State>>>>>;
  /** HandshakeType of the message that takes a step. */
  readonly messages: ReadonlyMap<Step, number>;
}

export const SERVER: StateMachine<ServerState, ServerStep> = {
  transitions: {
    'wait-hello': { retried: 'wait-second-hello', answered: 'wait-finished' },
    'wait-second-hello': { answered: 'wait-finished' },
    'wait-finished': { finished: 'connected' },
    // A client sends nothing more: KeyUpdate is not used in QUIC (RFC 9001 6).
    connected: {},
  },
  messages: new Map<ServerStep, number>([
    ['retried', HandshakeType.clientHello],
    ['answered', HandshakeType.clientHello],
    ['finished', HandshakeType.finished],
  ]),
};

export const CLIENT: StateMachine<ClientState, ClientStep> = {
  transitions: {
    'wait-server-hello': {
      retried: 'wait-second-server-hello',
      selected: 'wait-extensions',
      resumed: 'wait-extensions-resumed',
    },
    'wait-second-server-hello': { selected: 'wait-extensions', resumed: 'wait-extensions-resumed' },
    'wait-extensions': { extensions: 'wait-certificate-or-request' },
    'wait-extensions-resumed': { extensions: 'wait-finished' },
    'wait-certificate-or-request': {
      requested: 'wait-certificate',
      certificate: 'wait-certificate-verify',
    },
    'wait-certificate': { certificate: 'wait-certificate-verify' },
    'wait-certificate-verify': { verified: 'wait-finished' },
    'wait-finished': { finished: 'connected' },
    connected: { ticket: 'connected' },
  },
  messages: new Map<ClientStep, number>([
    ['retried', HandshakeType.serverHello],
    ['selected', HandshakeType.serverHello],
    ['resumed', HandshakeType.serverHello],
    ['extensions', HandshakeType.encryptedExtensions],
    ['requested', HandshakeType.certificateRequest],
    ['certificate', HandshakeType.certificate],
    ['verified', HandshakeType.certificateVerify],
    ['finished', HandshakeType.finished],
    ['ticket', HandshakeType.newSessionTicket],
  ]),
};
