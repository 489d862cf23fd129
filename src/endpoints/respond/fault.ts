import { checkNames } from '../../server/parse-parameters.ts';
import { FAULT_NAMES, FAULT_POINTS, type Fault, type FaultName } from '../../server/fault.ts';
import { oneOf, required, splitList, type Parameter } from '../../server/params.ts';
import { invalidParameter } from '../../http/problem.ts';
import type { QueryPairs } from '../../http/query.ts';
import { MAX_REQUESTED_CONTENT } from '../../server/payload.ts';
import type { Request } from '../../server/request.ts';
import { TEXT } from '../../server/schema.ts';
import { faultKinds } from '../fault/kinds.ts';

/** A fault of the response that is described. */
export interface DescribedFault {
  readonly kind: FaultName;
  /** Whether nothing of the response is sent: garbage is in its place. */
  readonly replacesResponse: boolean;
  /**
   * Makes the fault.
   *
   * @param length of the content, in bytes; undefined if the status has none, so that any position is after it
   * @throws Problem if it does not fit the request
   */
  readonly make: (request: Request, length: number | undefined) => Promise<Fault | undefined>;
}

/** Parameters of /fault/{kind} that describe the response, and so are those of the description. */
const OF_RESPONSE = new Set(['status', 'delay', 'framing']);

const kindName = oneOf(FAULT_NAMES);

/** `reset`, `reset@50%`, `stall@body,for=5`: kind, position and parameters of the kind. @param max duration in seconds */
export function faultParameter(max: number): Parameter<DescribedFault> {
  let kinds: ReturnType<typeof faultKinds> | undefined;
  return required(TEXT, (text, name) => {
    const [head = '', ...settings] = splitList(text, name);
    const [first = '', where] = head.split('@');
    const kind = kindName.parse(first, name);
    const faultKind = (kinds ??= faultKinds(max))[kind];
    const { query } = faultKind.endpoint;
    const names = Object.keys(query).filter((each) => !OF_RESPONSE.has(each));
    const pairs = [...positionPairs(where, names, text, name), ...settings.map(pairOf)];
    checkNames(pairs, ownNames(kind, names), `fault=${kind}`);
    // Checks the values now, because the fault is made later.
    const { at, after } = faultKind.parse(pairs);
    const replacesResponse =
      kind === 'garbage' && (at ?? 'start') === 'start' && after === undefined;
    const make: DescribedFault['make'] = async (request, length) => {
      const given = new Map([...defaults(kind, names, length), ...pairs]);
      return (await faultKind.reply(request, [...given])).fault;
    };
    return { kind, replacesResponse, make };
  });
}

/** The parameter that has the length of the content. */
function contentName(kind: FaultName): string {
  return kind === 'garbage' ? 'content' : 'length';
}

/** Names of the parameters that may be given: not that of the content's length. */
function ownNames(kind: FaultName, names: readonly string[]): string[] {
  return names.filter((name) => name !== contentName(kind));
}

/** @param content its length in bytes. Only that of an echo can exceed what can be requested */
function defaults(kind: FaultName, names: readonly string[], content?: number): QueryPairs {
  const length = Math.min(content ?? Infinity, MAX_REQUESTED_CONTENT);
  if (kind === 'content-length') {
    return [
      ['declared', String(content === undefined ? 0 : length)],
      ['sent', String(content === undefined ? 0 : Math.floor(length / 2))],
    ];
  }
  const name = contentName(kind);
  return names.includes(name) ? [[name, String(length)]] : [];
}

function pairOf(setting: string): readonly [string, string] {
  const mark = setting.indexOf('=');
  return mark < 0 ? [setting, ''] : [setting.slice(0, mark), setting.slice(mark + 1)];
}

/** The position after `@`: a point of the response, or bytes or a percentage of the content before the fault. */
function positionPairs(
  where: string | undefined,
  names: readonly string[],
  text: string,
  name: string,
): QueryPairs {
  if (where === undefined) return [];
  const isPoint = FAULT_POINTS.some((point) => point === where);
  if (!names.includes(isPoint ? 'at' : 'after')) {
    throw invalidParameter(name, text, 'has a position, which this fault does not have');
  }
  if (isPoint) return [['at', where]];
  if (!/^\d+%?$/.test(where)) {
    const points = FAULT_POINTS.join(', ');
    throw invalidParameter(
      name,
      text,
      `has a position other than ${points}, bytes or a percentage`,
    );
  }
  return [['after', where]];
}
