import { topic, type FamilyRule, type TopicCheck } from '../check.ts';
import { differs, expectSame, pass } from '../verdict.ts';
import { valuesOf, type FieldLine } from '../message.ts';
import type { Remedy } from '../remedy.ts';
import { KiB } from './bounds.ts';
import { allOf, fieldArrives, received, WITH_CONTENT } from './received.ts';

/**
 * RFC 9110 5.1, "A proxy MUST forward unrecognized header fields", binds proxies only (see `interim.ts`). Users expect
 * it of a gateway, too. Checks of sections that bind gateways declare the level of that section.
 */
const FIELD = { section: 'RFC 9110 5.1', level: 'quality', risk: 'interop' } as const;

const TRACEPARENT = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';

const MANY = 80;

function manyFields(): FieldLine[] {
  return Array.from({ length: MANY }, (_, at): FieldLine => [`X-Check-${at}`, String(at)]);
}

/** A check that a field value arrives byte by byte. */
function valueArrives({ value, ...rule }: FamilyRule & { readonly value: string }): TopicCheck {
  return fieldArrives({ section: 'RFC 9110 5.5', ...rule, lines: [['X-Check-Value', value]] });
}

const UNKNOWN = {
  id: 'field/unknown',
  rule: 'An unknown field is forwarded.',
  section: 'RFC 9110 5.1',
  lines: [['X-Check-Unknown', 'value']],
} as const;

const ALL_NAMES: Remedy = {
  advice: 'Have all names of RFC 9110 forwarded.',
  directives: { nginx: [['server', 'ignore_invalid_headers off;']] },
};

/** Field names, values, order and number (RFC 9110 5). */
export const fieldChecks = topic(FIELD, [
  allOf(fieldArrives(UNKNOWN), fieldArrives({ ...UNKNOWN, request: WITH_CONTENT })),
  fieldArrives({
    // A gateway may be configured to block fields (RFC 9110 5.1). Many block names with underscores, which some origins
    // take for hyphens: X_Forwarded_For for X-Forwarded-For.
    id: 'field/underscore',
    remedy: {
      advice:
        'Have names with underscores forwarded, if the origin does not take them for hyphens.',
      directives: { nginx: [['server', 'underscores_in_headers on;']] },
    },
    rule: 'A field with an underscore in its name is forwarded.',
    lines: [['X_Check_Under', 'value']],
  }),
  fieldArrives({
    id: 'field/dot',
    remedy: ALL_NAMES,
    rule: 'A field with a dot in its name is forwarded.',
    lines: [['X-Check.Dot', 'value']],
  }),
  fieldArrives({
    id: 'field/token-characters',
    remedy: ALL_NAMES,
    rule: 'A field whose name uses every special character of a token is forwarded.',
    section: 'RFC 9110 5.6.2',
    lines: [["x-check!#$%&'*+^`|~", 'value']],
  }),
  received({
    id: 'field/name-case',
    rule: 'Whether field names keep their case, although they are case-insensitive.',
    level: 'info',
    fronts: ['http/1.1'],
    request: { fields: [['X-ChEcK-CaSe', '1']] },
    judge: ({ fields }, { transfer }) => {
      const [name = 'no such field'] =
        fields.find(([each]) => each.toLowerCase() === 'x-check-case') ?? [];
      return name === 'X-ChEcK-CaSe'
        ? pass(name)
        : differs(`${name} arrives for X-ChEcK-CaSe`, transfer);
    },
  }),
  fieldArrives({
    id: 'field/repeated',
    rule: 'Repeated field lines keep their order; they may be combined.',
    section: 'RFC 9110 5.3',
    level: 'must',
    lines: [
      ['X-Check-Repeated', 'a'],
      ['X-Check-Repeated', 'b'],
      ['X-Check-Repeated', 'c'],
    ],
  }),
  fieldArrives({
    id: 'field/equal-lines',
    rule: 'Three equal field lines are forwarded as three; they may be combined.',
    section: 'RFC 9110 5.3',
    level: 'must',
    lines: [
      ['X-Check-Equal', 'a'],
      ['X-Check-Equal', 'a'],
      ['X-Check-Equal', 'a'],
    ],
  }),
  received({
    id: 'field/order',
    rule: 'Whether fields with different names keep their order.',
    section: 'RFC 9110 5.3',
    level: 'info',
    request: {
      fields: [
        ['X-Check-C', '1'],
        ['X-Check-A', '2'],
        ['X-Check-B', '3'],
      ],
    },
    judge: ({ fields }, { transfer }) => {
      const names = fields
        .map(([name]) => name.toLowerCase())
        .filter((name) => /^x-check-[abc]$/.test(name));
      const order = names.join(', ');
      return order === 'x-check-c, x-check-a, x-check-b' ? pass(order) : differs(order, transfer);
    },
  }),
  valueArrives({
    id: 'field/empty-value',
    rule: 'A field with an empty value is forwarded.',
    value: '',
  }),
  received({
    id: 'field/whitespace-around',
    section: 'RFC 9112 5.1',
    rule: 'Whitespace around a field value is removed.',
    level: 'must',
    fronts: ['http/1.1'],
    request: { fields: [['X-Check-Space', ' \t value \t ']] },
    judge: ({ fields }, { transfer }) =>
      expectSame('value', valuesOf(fields, 'x-check-space').join(), transfer),
  }),
  valueArrives({
    id: 'field/whitespace-inside',
    rule: 'Whitespace within a field value is kept.',
    value: 'a  b   c',
  }),
  valueArrives({
    id: 'field/tab-inside',
    rule: 'A tab within a field value is kept.',
    value: 'a\tb',
  }),
  valueArrives({
    id: 'field/obs-text',
    rule: 'Bytes above 0x7F in a field value are forwarded unchanged.',
    level: 'should',
    value: 'caf\u00c3\u00a9',
  }),
  valueArrives({
    id: 'field/quotes',
    rule: 'A quoted string with an escaped quote and a comma is forwarded unchanged.',
    value: String.raw`"a\"b, c"`,
  }),
  valueArrives({
    id: 'field/percent',
    rule: 'A field value is not percent-decoded.',
    value: '%2Fa%00%zz',
  }),
  valueArrives({
    id: 'field/long',
    section: 'RFC 9110 5.4',
    rule: 'A field of 4 KiB is forwarded.',
    value: 'x'.repeat(4 * KiB),
  }),
  received({
    id: 'field/many',
    section: 'RFC 9110 5.4',
    rule: `${MANY} fields are forwarded, the first, those between and the last.`,
    request: { fields: manyFields() },
    judge: ({ fields }, { transfer }) => {
      const arrived = new Set(fields.map(([name, value]) => `${name.toLowerCase()}: ${value}`));
      const lost = manyFields().filter((line) => !arrived.has(line.join(': ').toLowerCase()));
      const names = lost.map(([name]) => name).join(', ');
      const found = `${MANY - lost.length} fields${names && `, without ${names}`}`;
      return expectSame(`${MANY} fields`, found, transfer);
    },
  }),
  fieldArrives({
    id: 'field/authorization',
    section: 'RFC 9110 11.6.2',
    rule: 'Authorization is forwarded unchanged.',
    level: 'must',
    risk: 'security',
    lines: [['Authorization', 'Bearer check.Token_1~+/=']],
  }),
  fieldArrives({
    id: 'field/content-type',
    section: 'RFC 9110 8.3',
    rule: 'Content-Type of a request is forwarded unchanged.',
    lines: [['Content-Type', 'text/x-check; charset="utf-8"']],
    request: WITH_CONTENT,
  }),
  fieldArrives({
    id: 'field/max-forwards',
    section: 'RFC 9110 7.6.2',
    rule: 'Whether Max-Forwards is left alone in requests other than TRACE and OPTIONS.',
    level: 'info',
    lines: [['Max-Forwards', '10']],
  }),
  fieldArrives({
    id: 'field/priority',
    section: 'RFC 9218 5',
    rule: 'Priority, an end-to-end field, is forwarded.',
    lines: [['Priority', 'u=2, i']],
  }),
  received({
    id: 'field/traceparent',
    section: 'W3C Trace Context 3.2',
    rule: 'Whether traceparent is forwarded unchanged, replaced or dropped.',
    level: 'info',
    request: { fields: [['traceparent', TRACEPARENT]] },
    judge: ({ fields }, { transfer }) => {
      const arrived = valuesOf(fields, 'traceparent').join(', ');
      const isChanged = arrived !== '' && arrived !== TRACEPARENT;
      return isChanged ? differs(arrived, transfer) : expectSame(TRACEPARENT, arrived, transfer);
    },
  }),
]);
