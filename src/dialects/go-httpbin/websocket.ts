import { acceptWebSocket } from '../../endpoints/websocket.ts';
import { WebSocketEcho, type EchoDialect } from '../../endpoints/websocket/echo.ts';
import { fieldValue } from '../../http/fields.ts';
import { WEBSOCKET_VERSION } from '../../http/websocket.ts';
import { invalid } from '../../http/problem.ts';
import { override, type Override } from '../../server/endpoint.ts';
import { described, optional, required, type Parameter } from '../../server/params.ts';
import type { Request } from '../../server/request.ts';
import {
  CloseCode,
  closeContent,
  Opcode,
  type WebSocketFrame,
} from '../../wire/websocket/frame.ts';
import type { WebSocketError } from '../../wire/websocket/frame-reader.ts';

const SECOND = 1000;
const INT32 = 2 ** 31;

/** A size in bytes, with the errors of the original, which takes an empty value for none. */
function sizeParameter(max: number, fallback: number): Parameter<number> {
  const size = required<number>({ type: 'integer', minimum: 1, maximum: max }, (text, name) => {
    if (text === '') return fallback;
    const syntax = /^[-+]?\d+$/.test(text) ? 'value out of range' : 'invalid syntax';
    const value = Number(text);
    if (syntax === 'invalid syntax' || value < -INT32 || value >= INT32) {
      throw invalid(
        `invalid ${name}: strconv.ParseInt: parsing ${JSON.stringify(text)}: ${syntax}`,
      );
    }
    if (value < 1 || value > max)
      throw invalid(`invalid ${name}: ${value} not in range [1, ${max}]`);
    return value;
  });
  return described('In bytes.', optional(size, fallback));
}

/** The reasons of the original by those of wirebin. Where it names the size of what is too large, this names the maximum. */
const REASONS: readonly (readonly [wirebin: RegExp, original: string])[] = [
  [/^a frame is not masked$/, 'received unmasked client frame'],
  [/^a reserved bit is set$/, 'frame has unsupported RSV bits set'],
  [/^a length (.*)$/, 'invalid payload length: it $1'],
  [/^a frame has (more .*)$/, 'frame too large: $1'],
  [/^a message has (more .*)$/, 'message too large: $1'],
  [/^a control frame is (.*)$/, 'invalid control frame: it is $1'],
  [/^a Close frame has half of a code$/, 'invalid close frame payload: must be at least 2 bytes'],
  [/^a Close frame has the code (.*)$/, 'invalid close frame payload: status code $1 is reserved'],
  [/^the reason of a Close frame .*$/, 'invalid close frame payload: reason must be valid UTF-8'],
  [/^the opcode (.*) is reserved$/, 'unsupported opcode: $1'],
  [/^a message inside of another one$/, 'continuation frame expected'],
  [/^a continuation frame without a message$/, 'unexpected continuation frame'],
  [/^a text message is not UTF-8$/, 'invalid UTF-8'],
];

function reasonOf({ message }: WebSocketError): string {
  const [pattern, reason] = REASONS.find(([wirebin]) => wirebin.test(message)) ?? [
    message,
    message,
  ];
  return message.replace(pattern, reason);
}

/** Divides a message into frames. */
function* framesOf({ opcode, content }: WebSocketFrame, max: number): Generator<WebSocketFrame> {
  for (let at = 0; at === 0 || at < content.length; at += max) {
    yield {
      opcode: at === 0 ? opcode : Opcode.continuation,
      isFinal: at + max >= content.length,
      content: content.subarray(at, at + max),
    };
  }
}

/** Checks the handshake, with the errors of the original. @throws Problem */
function checkHandshake({ method, fields }: Request): void {
  const field = (name: string): string => fieldValue(fields, name) ?? '';
  const isUpgrade = method === 'CONNECT' || field('upgrade').toLowerCase() === 'websocket';
  if (!isUpgrade) throw invalid('missing required `Upgrade: websocket` header');
  const version = field('sec-websocket-version');
  if (version !== WEBSOCKET_VERSION) {
    const got = JSON.stringify(version);
    throw invalid(`only websocket version "${WEBSOCKET_VERSION}" is supported, got ${got}`);
  }
  if (method !== 'CONNECT' && field('sec-websocket-key') === '') {
    throw invalid('missing required `Sec-Websocket-Key` header');
  }
}

/** @param max maximum bytes of a message @param idle seconds without received bytes before it is closed */
export function websocket(max: number, idle: number): Override {
  const bound = Math.max(1, max);
  return override('/websocket/echo', {
    summary: 'A WebSocket echo of whole messages.',
    query: {
      max_fragment_size: sizeParameter(bound, Math.max(1, Math.floor(bound / 2))),
      max_message_size: sizeParameter(bound, bound),
    },
    handle({ request, query: { max_fragment_size: maxFrame, max_message_size: maxMessage } }) {
      if (maxFrame > maxMessage) {
        const than = `must be less than or equal to max_message_size ${maxMessage}`;
        throw invalid(`max_fragment_size ${maxFrame} ${than}`);
      }
      checkHandshake(request);
      const dialect: EchoDialect = {
        reply: (message) => [...framesOf(message, maxFrame)],
        closeContent: closeContent(CloseCode.normal),
        reasonOf,
      };
      const options = { maxFrame, maxMessage, idleTimeout: idle * SECOND, dialect };
      return {
        ...acceptWebSocket(request),
        upgrade: {
          begin: (channel, reserve) => new WebSocketEcho(channel, options, reserve),
        },
      };
    },
  });
}
