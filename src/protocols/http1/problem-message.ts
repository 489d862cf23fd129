import { problemReply } from '../../server/reply.ts';
import {
  addConnectionFields,
  addProcessField,
  milliseconds,
  randomUuid,
  type CommonFields,
} from '../../server/response-fields.ts';
import type { TcpConnection } from '../../net/tcp-connection.ts';
import { Problem } from '../../http/problem.ts';
import { reasonPhrases } from '../../http/status.ts';
import { headerSection } from './response.ts';

/** A complete response to a message that never became a request, one byte per character. */
export function problemMessage(
  problem: Problem,
  connection: TcpConnection,
  { connFields, lean }: CommonFields,
): string {
  const { status, fields } = problemReply(problem);
  const content = Buffer.from(problem.toDocument()).toString('latin1');
  const lines = [...fields, 'Content-Length', String(content.length)];
  if (connFields) addConnectionFields(connection, lines);
  addProcessField(connection, lines);
  if (!lean) lines.push('X-Request-Id', randomUuid(), 'X-Response-Time', milliseconds(0));
  lines.push('Connection', 'close');
  return headerSection(status, lines, reasonPhrases) + content;
}

export function requestTimeoutProblem(): Problem {
  return new Problem('request-timeout', 'the request was not complete in time');
}
