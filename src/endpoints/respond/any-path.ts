import { encodeFieldText, fieldValue } from '../../http/fields.ts';
import { matcherOf, type Matcher } from '../../http/pattern.ts';
import { Problem } from '../../http/problem.ts';
import { isToken } from '../../http/syntax.ts';
import type { Endpoint } from '../../server/endpoint.ts';
import type { Request } from '../../server/request.ts';
import type { DescribedPaths, Dialect } from '../../server/dialect.ts';
import type { Match } from '../../server/router.ts';
import { isDisabled } from '../all.ts';
import { singleResponse } from '../respond.ts';
import { DescriptionReader } from './describe.ts';
import { describedReply, reserveDescription, type ReplyOptions } from './reply.ts';

/** A rule as written, and where that is. */
export interface RuleText {
  readonly text: string;
  readonly place: string;
}

interface Rule {
  /** `*` for any. GET includes HEAD. */
  readonly method: string;
  readonly matches: Matcher;
  /** Whether the first segment of the pattern has a `*`, so that it names no path of wirebin's. */
  readonly isBroad: boolean;
  readonly match: Match;
}

interface Options {
  /** Maximum of each duration, in seconds. */
  readonly maxDuration: number;
  /** Whether the field may give content that browsers execute. */
  readonly allowRaw: boolean;
  /** Hosts to which the field may redirect. */
  readonly allowedRedirectDomains: readonly string[];
  /** Paths of --disable; with /respond among them, the field is an ordinary one. */
  readonly disable: readonly string[];
}

const FIELD = 'x-wirebin-respond';
const RULE = /^(\S+)[ \t]+(\/\S*|\*):[ \t]+(.*)/s;

/** Responses that a field of the request, or a rule of the service, describes for any path. */
export class AnyPath implements DescribedPaths {
  /** Made when the first description is read: most services never have any. */
  #made: { readonly reader: DescriptionReader; readonly endpoint: Endpoint } | undefined;
  /** What clients may describe. */
  readonly #byField: ReplyOptions;
  /** What the operator may. */
  readonly #byRule: ReplyOptions;
  readonly #readsField: boolean;
  #rules: readonly Rule[] = [];

  /** @param options of the service. @throws Problem as `setRules` */
  constructor(options: Options, rules: readonly RuleText[]) {
    const { maxDuration, allowRaw: verbatim, allowedRedirectDomains: redirects } = options;
    this.#byField = { maxDuration, verbatim, redirects };
    this.#byRule = { maxDuration, verbatim: true, redirects: 'anywhere' };
    this.#readsField = !isDisabled('/respond', options.disable);
    this.setRules(rules);
  }

  /** Replaces the rules. @throws Problem that names the place of a wrong one; then the old rules stay */
  setRules(texts: readonly RuleText[]): void {
    this.#rules = texts.map((text) => this.#ruleOf(text));
  }

  find(request: Request, path: string, isFree: boolean, dialect: Dialect): Match | undefined {
    // The dialects of other programs do not have the field.
    const isRead = dialect.optionalFields && this.#readsField;
    const text = isRead ? fieldValue(request.fields, FIELD) : undefined;
    if (text !== undefined) return this.#matchOf(text, 'X-Wirebin-Respond', this.#byField);
    if (this.#rules.length === 0) return undefined;
    const method = request.method === 'HEAD' ? 'GET' : request.method;
    return this.#rules.find(
      (rule) =>
        (rule.method === '*' || rule.method === method || rule.method === request.method) &&
        (isFree || !rule.isBroad) &&
        rule.matches(path),
    )?.match;
  }

  #ruleOf({ text, place }: RuleText): Rule {
    const [, method = '', pattern = '', description = ''] = RULE.exec(text) ?? [];
    if (method !== '*' && !isToken(method)) {
      const form = 'METHOD PATTERN: description, such as GET /api/*: status=503&delay=100ms';
      throw new Problem('invalid-parameter', `${place}: is not ${form}`);
    }
    return {
      method,
      matches: matcherOf(pattern),
      isBroad: /^\/?[^/]*\*/.test(pattern),
      match: this.#matchOf(encodeFieldText(description), place, this.#byRule),
    };
  }

  #matchOf(text: string, place: string, options: ReplyOptions): Match {
    const { reader, endpoint } = (this.#made ??= this.#make());
    const description = reader.readText(text, place);
    return {
      segments: [],
      endpoint: {
        ...endpoint,
        // A rule is held once, for all requests.
        reserves: options === this.#byField,
        content: description.content?.kind === 'echo',
        respond(request, _, content) {
          reserveDescription(description, request);
          return describedReply(description, request, content, options);
        },
      },
    };
  }

  #make() {
    const reader = new DescriptionReader(this.#byField.maxDuration);
    return { reader, endpoint: singleResponse(reader, this.#byField) };
  }
}
