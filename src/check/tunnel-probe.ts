import { fieldLines } from './client/http1-message.ts';
import type { FrontName } from './front.ts';
import type { FieldLine, ResponseMessage, Transfer } from './message.ts';
import { newTag, problemType, rawTarget, receivedOf, TAG, type Received } from './origin.ts';
import type { Client, Target } from './target.ts';

/**
 * Whether the target is a tunnel: it forwards all bytes unchanged in both directions, with a connection to the origin
 * for each client connection. A gateway may forward some bytes that it does not understand, so everything is tried.
 *
 * @param time limit of each transfer, in milliseconds
 */
export async function isTunnel(
  target: Target,
  fronts: readonly FrontName[],
  time: number,
): Promise<boolean> {
  if (!fronts.includes('http/1.1')) return false;
  if (!(await forwardsMalformed(target, time))) return false;
  for (const front of fronts) {
    if (!(await forwardsFields(target, front, time))) return false;
    if (!(await connectsForEach(target, front, time))) return false;
  }
  return forwardsResponses(target, time);
}

/** Whether a request line is forwarded that a gateway, but not a tunnel, would refuse itself. */
async function forwardsMalformed(target: Target, time: number): Promise<boolean> {
  const client = await target.openHttp1(time);
  const { response } = await client.exchange(Buffer.from('wirebin check\r\n\r\n'), 'GET', { time });
  client.close();
  return problemType(response) !== undefined && isOfWirebin(response);
}

/** Fields that a gateway would normalize, replace, remove or merge. */
const FIELDS: readonly FieldLine[] = [
  ['x-CHECK-b', '2'],
  ['X-Check-A', 'a  b'],
  ['X_Check.Empty', ''],
  ['X-Check-A', '1'],
  ['X-Forwarded-For', '192.0.2.1'],
  ['X-Forwarded-Proto', 'check'],
  ['Via', '1.1 check'],
  ['X-Check-Listed', '1'],
];
const HOP_BY_HOP: readonly FieldLine[] = [
  ['Connection', 'X-Check-Listed'],
  ['Keep-Alive', 'timeout=5'],
];

/** Whether a request arrives as it was sent: its protocol, its target, and exactly its fields. */
async function forwardsFields(target: Target, front: FrontName, time: number): Promise<boolean> {
  const tag = newTag();
  const path = `/anything/${tag}/./a//b%2Fc%7e`;
  const client = await target.open(front, time);
  const isHttp2 = front === 'h2';
  const ours: FieldLine[] = [[TAG, tag], ...FIELDS, ...(isHttp2 ? [] : HOP_BY_HOP)];
  const transfer = await client.send({ target: path, fields: ours }, { time });
  client.close();
  const received = receivedOf(transfer, tag);
  if (received?.version !== (isHttp2 ? 'HTTP/2.0' : 'HTTP/1.1') || received.path !== path)
    return false;
  const arrived = received.fields.filter(([name]) => !name.startsWith(':'));
  const sent = isHttp2
    ? ours.map(([name, value]) => [name.toLowerCase(), value] as const)
    : [['Host', target.authority] as const, ...ours];
  return fieldLines(arrived) === fieldLines(sent);
}

/** Whether each client connection has its own to the origin: two requests on one are the first two there. */
async function connectsForEach(target: Target, front: FrontName, time: number): Promise<boolean> {
  const client = await target.open(front, time);
  const first = await echoed(client, time);
  const second = await echoed(client, time);
  client.close();
  const another = await target.open(front, time);
  const other = await echoed(another, time);
  another.close();
  const isOne = first?.connection === second?.connection && second?.requestNumber === 2;
  return isOne && other?.requestNumber === 1 && other.connection !== first?.connection;
}

async function echoed(client: Client, time: number): Promise<Received | undefined> {
  const tag = newTag();
  const fields: FieldLine[] = [[TAG, tag]];
  return receivedOf(await client.send({ target: `/anything/${tag}`, fields }, { time }), tag);
}

/** A response that a gateway would format in another way. */
const RESPONSE = 'HTTP/1.1 200 as sent\r\nx-CHECK:  a\r\nX_y: \r\ncontent-length: 2\r\n\r\nhi';

/** Whether responses arrive as the origin sent them: byte for byte with --allow-raw, otherwise by comparison. */
async function forwardsResponses(target: Target, time: number): Promise<boolean> {
  const client = await target.openHttp1(time);
  const raw = await client.send({ target: rawTarget(RESPONSE) }, { time });
  client.close();
  if (raw.response?.status !== 404 && raw.received !== RESPONSE) return false;
  const another = await target.openHttp1(time);
  const through = await another.send({ target: '/version' }, { time });
  another.close();
  // An origin that cannot be reached is reported later, when its journal is read.
  const direct = await versionOfOrigin(target, time).catch(() => undefined);
  if (direct?.response?.status !== 200) return isOfWirebin(through.response);
  return steadyHead(through) === steadyHead(direct);
}

async function versionOfOrigin(target: Target, time: number): Promise<Transfer | undefined> {
  const [url] = target.origins;
  if (!target.hasOrigins || !url) return undefined;
  const client = await target.openOrigin(url, time);
  const transfer = await client.send({ target: '/version' }, { time });
  client.close();
  return transfer;
}

/** Fields of wirebin whose values differ between responses, or between instances. */
const UNSTEADY =
  /^(?:date|x-request-id|x-response-time|x-instance|x-wirebin-process|x-conn-[^:]*)(?=:|$)/i;

/** Other fields that wirebin sends. */
const OF_WIREBIN =
  /^(?:content-type|content-length|connection|keep-alive|access-control-.*|server-timing|vary|cache-control)$/i;

/** The received status line and field lines that are the same in all responses. */
function steadyHead({ received }: Transfer): string {
  const [head = ''] = received.split('\r\n\r\n');
  const lines = head.split('\r\n').filter((line) => !UNSTEADY.test(line));
  // An instance name of another length changes Content-Length.
  return lines.filter((line) => !/^content-length:/i.test(line)).join('\n');
}

/** Whether the response has only fields that wirebin sends. */
function isOfWirebin(response: ResponseMessage | undefined): boolean {
  return response?.fields.every(([name]) => UNSTEADY.test(name) || OF_WIREBIN.test(name)) === true;
}
