import type { FieldLines } from '../fields.ts';
import {
  serializeMember,
  serializeParameters,
  type InnerList,
  type Item,
} from '../structured-fields.ts';
import { DerivedComponents, type SignedTarget } from './derived-components.ts';
import { FieldComponents, type ComponentValue, type StructuredType } from './field-components.ts';

/** The parts of a request that a signature may cover. */
export interface SignedMessage extends SignedTarget {
  readonly fields: FieldLines;
  readonly trailers: FieldLines;
  /** The type of a structured field by its lower-case name; undefined for others. */
  readonly typeOf: (name: string) => StructuredType | undefined;
}

/** Bounds of a signature base, since clients choose what is covered. */
export interface BaseLimits {
  /** Maximum number of covered components. */
  readonly components: number;
  /** Maximum characters of the base. */
  readonly characters: number;
}

/** A signature base (RFC 9421 2.5), or why there is none. */
export type SignatureBase = { readonly base: string } | { readonly reason: string };

/** Makes the signature bases of a request. Its fields are read once, however many signatures it has. */
export class SignatureBases {
  readonly #derived: DerivedComponents;
  readonly #fields: FieldComponents;

  constructor(message: SignedMessage) {
    this.#derived = new DerivedComponents(message);
    this.#fields = new FieldComponents(message.fields, message.trailers, message.typeOf);
  }

  /** @param input the member of Signature-Input: covered components and parameters */
  baseOf(input: InnerList, limits: BaseLimits): SignatureBase {
    if (input.items.length > limits.components) {
      return { reason: `more than ${limits.components} components are covered` };
    }
    const seen = new Set<string>();
    const lines: string[] = [];
    let length = 0;
    for (const component of input.items) {
      const identifier = serializeMember(component);
      const value = this.#valueOf(component, seen);
      if ('reason' in value) return { reason: `${identifier}: ${value.reason}` };
      if (/[^ -~\t]/.test(value.value)) {
        return {
          reason: `${identifier}: the value has characters that are not ASCII (RFC 9421 2.5)`,
        };
      }
      const line = `${identifier}: ${value.value}`;
      length += line.length + 1;
      if (length > limits.characters) return tooLong(limits);
      lines.push(line);
    }
    lines.push(`"@signature-params": ${serializeMember(input)}`);
    const base = lines.join('\n');
    return base.length > limits.characters ? tooLong(limits) : { base };
  }

  #valueOf(component: Item, seen: Set<string>): ComponentValue {
    const { value: name, parameters } = component;
    if (name.type !== 'string') return { reason: 'the name of a component has to be a string' };
    // The order of parameters does not count (RFC 9421 2).
    const sorted = [...parameters].toSorted(([a], [b]) => (a < b ? -1 : 1));
    const identity = name.value + serializeParameters(new Map(sorted));
    if (seen.has(identity)) return { reason: 'it is covered twice (RFC 9421 2.5)' };
    seen.add(identity);
    if (parameters.has('req')) return { reason: 'req is for responses only (RFC 9421 2.4)' };
    return name.value.startsWith('@')
      ? this.#derived.valueOf(name.value, parameters)
      : this.#fields.valueOf(name.value, parameters);
  }
}

function tooLong({ characters }: BaseLimits): SignatureBase {
  return { reason: `the signature base has more than ${characters} characters` };
}
