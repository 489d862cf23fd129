import { endpoint, jsonResponse } from '../server/endpoint.ts';
import { percentages, pick, totalWeight, type Choice } from '../server/distribution.ts';
import { int, required, splitList } from '../server/params.ts';
import { invalidParameter } from '../http/problem.ts';
import { hasNoContent, reasonPhrases } from '../http/status.ts';
import { payloadLength } from '../server/payload.ts';
import { empty, json, withFields, type Reply } from '../server/reply.ts';
import { INTEGER, objectSchema, TEXT, textLike } from '../server/schema.ts';

const status = int({ min: 200, max: 599 });

/** Patterns for the OpenAPI document. At least one weight of a list must be above 0. */
const CHOICE = '0*[2-5][0-9]{2}';
const ANY = String.raw`${CHOICE}(?::[0-9]+(?:\.[0-9]+)?)?`;
const ABOVE_0 = String.raw`0*[1-9][0-9]*(?:\.[0-9]+)?|0+\.0*[1-9][0-9]*`;
const LIST = `^(?:${ANY},)*${CHOICE}(?::(?:${ABOVE_0}))?(?:,${ANY})*$`;

const WEIGHTED = /^([^:]*)(?::(\d+(?:\.\d+)?))?$/;

/** Parameter: `200`, a list to choose from at random (`200,503`), or one with weights (`200:3,503:1`; default 1). */
export const statusParameter = required<readonly Choice<number>[]>(
  {
    type: 'string',
    description:
      'A status code, or a list to pick one from at random: `200,503`, with weights `200:3,503:1`.',
    pattern: LIST,
    examples: ['200', '200:3,503:1'],
  },
  (text, name) => {
    const list = splitList(text, name).map((element) => {
      const [, code, weight = '1'] = WEIGHTED.exec(element) ?? [];
      if (code === undefined) {
        throw invalidParameter(name, element, 'is not a status or status:weight');
      }
      return { value: status.parse(code, name), weight: Number(weight) };
    });
    const total = totalWeight(list);
    if (total === 0) throw invalidParameter(name, text, 'has no weight above 0');
    if (total === Infinity) throw invalidParameter(name, text, 'has a weight that is too large');
    return list;
  },
);

const PERCENTAGE = `${CHOICE}:[0-9]+(?:\\.[0-9]+)?%`;

const isPercentage = (element: string): boolean => element.endsWith('%');

/** Parameter: as `statusParameter`, or percentages such as `503:10%`, whose rest is 200. */
export const distributionParameter = required<readonly Choice<number>[]>(
  {
    ...textLike('200', {
      type: 'string',
      pattern: `${LIST}|^${PERCENTAGE}(?:,${PERCENTAGE})*$`,
    }),
    description: `${statusParameter.schema.description} With percentages, \`503:10%,404:5%\` (% is %25 in a URL), the rest is 200.`,
  },
  (text, name) => {
    const elements = splitList(text, name);
    if (!elements.some(isPercentage)) return statusParameter.parse(text, name);
    if (!elements.every(isPercentage)) {
      throw invalidParameter(name, text, 'mixes percentages with other weights');
    }
    return percentages(text, name, (code) => status.parse(code, name), 200);
  },
);

/** Picks a status at random by weight. */
export function pickStatus(list: readonly Choice<number>[]): number {
  return pick(list) ?? 200;
}

/**
 * Fields that RFC 9110 requires or expects with a status: 10.2.1, 11.6.1, 11.7.1, 15.4 (304 does not redirect),
 * 15.5.22.
 *
 * @param version of the request; HTTP/2 forbids Upgrade and Connection (RFC 9113 8.2.2)
 */
function statusFields(code: number, version: string): readonly string[] {
  switch (code) {
    case 304:
      return [];
    case 401:
      return ['WWW-Authenticate', 'Basic realm="wirebin"'];
    case 405:
      return ['Allow', 'GET, HEAD, OPTIONS'];
    case 407:
      return ['Proxy-Authenticate', 'Basic realm="wirebin"'];
    case 426:
      return version === 'HTTP/2.0' ? [] : ['Upgrade', 'HTTP/2.0', 'Connection', 'Upgrade'];
    default:
      return code >= 300 && code <= 399 ? ['Location', '/redirect/1'] : [];
  }
}

/**
 * A response with the status, and the fields and content that belong to it.
 *
 * @param version of the request; HTTP/2 forbids Upgrade and Connection (RFC 9113 8.2.2)
 */
export function statusReply(code: number, version: string): Reply {
  const fields = statusFields(code, version);
  if (hasNoContent(code)) return empty(code, fields);
  const response = json(
    { status: code, reason: reasonPhrases[code] ?? 'unknown' },
    { status: code },
  );
  return withFields(response, [...fields, ...contentRange(code, response)]);
}

/** Content-Range, which 206 requires (RFC 9110 15.3.7): the range is all of the content. */
function contentRange(code: number, { payload }: Reply): readonly string[] {
  const length = payload === undefined ? undefined : payloadLength(payload);
  if (code !== 206 || length === undefined) return [];
  return ['Content-Range', `bytes 0-${length - 1}/${length}`];
}

/** JSON content of `statusReply`. */
export const statusSchema = objectSchema('Status', {
  status: { ...INTEGER, format: 'int32' },
  reason: TEXT,
});

const anyStatus = jsonResponse('The requested status.', statusSchema);

const noContent = { description: 'The requested status.' };
const location = { Location: '`/redirect/1`' };

/** Documented responses of endpoints that may respond with any status. */
export const anyStatusResponses = {
  '2XX': anyStatus,
  '3XX': { ...anyStatus, fields: location },
  400: { ...anyStatus, content: ['application/json', 'application/problem+json'] },
  '4XX': {
    ...anyStatus,
    fields: {
      'WWW-Authenticate': 'With 401.',
      Allow: 'With 405.',
      'Proxy-Authenticate': 'With 407.',
      Upgrade: 'With 426 on HTTP/1.1.',
    },
  },
  '5XX': anyStatus,
} as const;

export const statusCode = endpoint({
  methods: 'any',
  path: '/status/{code}',
  group: 'content',
  summary: 'Responds with the status in the path, 200 to 599.',
  params: { code: distributionParameter },
  responses: {
    ...anyStatusResponses,
    204: noContent,
    205: noContent,
    206: { ...anyStatus, fields: { 'Content-Range': 'All of the content.' } },
    304: noContent,
  },
  handle: ({ params, request }) => statusReply(pickStatus(params.code), request.version),
});
