import type { Settings } from 'node:http2';
import type { FieldLine, ResponseHead } from '../../src/check/message.ts';
import type { ContentReader, Framing, Truncated } from './_bytes.ts';
import type { CacheFault, CacheRules } from './_cache.ts';
import type { MoreDeviation } from './_gateway-faults.ts';
import type { FrameRewriting } from './_frame-rewriter.ts';
import type { UpgradeDeviation } from './_gateway-upgrade.ts';
import type { OriginTls } from './_gateway-origin.ts';
import type { ReadProxyHeader } from './_gateway-proxy-header.ts';
import type { TlsDeviation } from './_gateway-tls.ts';

/** A request as a client sent it. */
export interface ClientRequest {
  readonly version: '1.0' | '1.1' | '2.0';
  readonly method: string;
  /** Path and query, or `*`. */
  readonly target: string;
  readonly authority: string;
  readonly fields: readonly FieldLine[];
  readonly framing: Framing;
  /** The address and port of the client. */
  readonly address: string;
  readonly port: number;
  readonly isSecure: boolean;
  /** The name of the TLS handshake. */
  readonly servername?: string | undefined;
  /** The certificates that the client has shown, in DER, its own first. */
  readonly certificates: readonly Buffer[];
}

/** What a connection says of its client. */
export type Peer = Pick<
  ClientRequest,
  'address' | 'port' | 'isSecure' | 'servername' | 'certificates'
>;

/** A request on its way to the origin. */
export interface OriginRequest {
  method: string;
  target: string;
  version: string;
  host: string;
  fields: FieldLine[];
  framing: Framing;
  /** All of the content and the trailers, if the gateway waits for them. */
  content: Buffer | undefined;
  trailers: FieldLine[];
}

/** A response on its way to the client. */
export interface ClientResponse {
  /** On HTTP/1.1. Default: HTTP/1.1. */
  version?: string;
  status: number;
  fields: FieldLine[];
  framing: Framing;
  /** All of the content and the trailers, if the gateway waits for them. */
  content: Buffer | undefined;
  trailers: FieldLine[];
}

/** A request and the way back to its client. */
export interface Exchange {
  readonly request: ClientRequest;
  readonly content: Pick<ContentReader, 'next' | 'isDone' | 'trailers'>;
  /** Calls once if the client goes away before the response is complete. */
  onGone(listener: (() => void) | undefined): void;
  sendInterim(head: ResponseHead): void;
  /** @returns what delimits the content for this client */
  sendHead(head: ResponseHead & Pick<ClientResponse, 'version'>, framing: Framing): void;
  send(piece: Buffer): Promise<void>;
  end(trailers: readonly FieldLine[]): void;
  /** Ends a response that is not complete. @param code on HTTP/2. Default: INTERNAL_ERROR */
  abort(code?: number): void;
}

/** What a gateway does wrong: changes to what it would do. */
export interface Deviation extends MoreDeviation {
  /** Changes the first bytes of a connection on HTTP/1.1, and forwards all as it is then; undefined reads them. */
  readonly raw?: (text: string) => string | undefined;
  /** Its own response to the first bytes of a connection on HTTP/1.1, which ends then; undefined reads them. */
  readonly rawAnswer?: (text: string) => string | undefined;
  /** Changes what the origin answers to bytes that are forwarded as they are. */
  readonly rawResponse?: (text: string) => string;
  /** Changes the header section of a request on HTTP/1.1 before it is parsed. */
  readonly readHead?: (text: string) => string;
  /** Whether it refuses a header section whose end is not in the first bytes of the connection. */
  readonly refusesSplitHead?: boolean;
  /** Whether it forwards a message that is malformed, and is a tunnel from then on. */
  readonly forwardsMalformed?: boolean;
  /** Whether it forwards an HTTP/2 preface in place of a request, and is a tunnel from then on. */
  readonly forwardsPreface?: boolean;
  /** Changes the line of a chunk size in a request before it is parsed. */
  readonly readChunkSize?: (line: string) => string;
  /** Whether it drops what is between a chunk of a request and the end of the line. */
  readonly ignoresChunkEnd?: boolean;
  /** Changes frames of HTTP/2 before they are parsed. */
  readonly frames?: FrameRewriting;
  /** Changes the fields of a request before those for one hop are removed. */
  readonly receive?: (fields: readonly FieldLine[]) => FieldLine[];
  /** Whether it waits for all of the content of a request. */
  readonly waitsForRequest?: (request: ClientRequest) => boolean;
  /** Changes a request before it is sent to the origin. */
  readonly request?: (request: OriginRequest, client: ClientRequest) => void;
  /** The status with which it answers a request by itself. */
  readonly refuses?: (request: ClientRequest) => number | undefined;
  /** Whether it sends a request again after a failed attempt. */
  readonly retries?: (
    request: ClientRequest,
    failure: number | 'closed',
    attempt: number,
  ) => boolean;
  /** Changes the content of a request that is sent again. */
  readonly replays?: (content: Buffer) => Buffer;
  /** What waits while a client does not read a response: the other streams of its connection, or all other clients. */
  readonly unreadBlocks?: 'connection' | 'all';
  /** Whether content of a connection waits while the origin does not read what came before. */
  readonly uploadBlocks?: boolean;
  /** Changes the header section of a response before it is parsed. */
  readonly readResponseHead?: (text: string) => string;
  /** Changes the line of a chunk size in a response before it is parsed. */
  readonly readResponseChunkSize?: (line: string) => string;
  /** Changes an interim response; undefined drops it. */
  readonly interim?: (head: ResponseHead, client: ClientRequest) => ResponseHead | undefined;
  /** Whether it waits for all of the content of a response. */
  readonly waitsForResponse?: (response: ClientResponse, client: ClientRequest) => boolean;
  /** Changes a response before it is sent to the client. */
  readonly response?: (response: ClientResponse, client: ClientRequest) => void;
  /** Whether requests with Max-Forwards: 0 are forwarded. */
  readonly forwardsMaxForwards0?: boolean;
  /** Whether a request that is cut off ends as if it were complete. */
  readonly endsTruncatedRequests?: boolean | ((error: Truncated, sent: number) => boolean);
  /** Whether a response that is cut off ends as if it were complete. */
  readonly endsTruncated?:
    | boolean
    | ((client: ClientRequest, framing: Framing, rest: number) => boolean);
  /** The status for an origin that does not respond, or none, or REFUSED_STREAM on HTTP/2. Default: 502. */
  readonly badGateway?: number | 'none' | 'refused-stream';
  /** Whether the exchange with the origin continues after the client has disconnected. */
  readonly ignoresGone?: boolean;
  /** Whether the connection of a client is closed after each response, or none is. */
  readonly keepsAlive?: (request: ClientRequest) => boolean;
  /** Whether interim responses are sent to clients of HTTP/1.0 too. */
  readonly sendsInterimToHttp10?: boolean;
  /** Whether content is chunked for clients of HTTP/1.0 too. */
  readonly chunksForHttp10?: boolean;
  /** Its SETTINGS on HTTP/2, beyond those of every gateway. */
  readonly settings?: Settings;
  /** Window in bytes of connections of HTTP/2 for what the client sends. Default: 65,535. */
  readonly connectionWindow?: number;
  /** How it accepts TLS. */
  readonly tls?: TlsDeviation;
  /** How it reads PROXY headers. Default: it requires and verifies them if it is set up so, or else reads none. */
  readonly readProxyHeader?: ReadProxyHeader;
  /** The PROXY header that it sends the origin for a request. */
  readonly sendProxyHeader?: (client: ClientRequest) => Buffer;
  /** How it connects to the origin by TLS. */
  readonly originTls?: OriginTls;
  /** Makes it a cache, with a fault or `none`. */
  readonly cache?: CacheFault | CacheRules | 'none';
  /** Forwards Upgrade to WebSocket, and what it does wrong then; without it Upgrade is removed. */
  readonly upgrade?: UpgradeDeviation;
  /** Fields for one hop that are not removed, in lower case. */
  readonly keepsHopByHop?: readonly string[];
}
