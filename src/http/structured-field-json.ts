import {
  isInnerList,
  type BareItem,
  type Dictionary,
  type Item,
  type List,
  type Member,
  type Parameters,
} from './structured-fields.ts';

// The JSON form of github.com/httpwg/structured-field-tests, with two differences: bytes are in base64, as in the field,
// and not in base32; and a decimal without fraction, which JSON would show as an integer, is an object like a token.

type BareJson =
  | number
  | string
  | boolean
  | { readonly __type: 'token' | 'binary' | 'displaystring'; readonly value: string }
  | { readonly __type: 'date' | 'decimal'; readonly value: number };

type ParametersJson = readonly (readonly [key: string, value: BareJson])[];
type ItemJson = readonly [value: BareJson, parameters: ParametersJson];
type MemberJson = ItemJson | readonly [items: readonly ItemJson[], parameters: ParametersJson];

/** A structured field as JSON. */
export type StructuredJson =
  | ItemJson
  | readonly MemberJson[]
  | readonly (readonly [key: string, member: MemberJson])[];

export function itemJson({ value, parameters }: Item): ItemJson {
  return [bareJson(value), parametersJson(parameters)];
}

export function listJson(list: List): readonly MemberJson[] {
  return list.map(memberJson);
}

export function dictionaryJson(dictionary: Dictionary): readonly (readonly [string, MemberJson])[] {
  return Array.from(dictionary, ([key, member]) => [key, memberJson(member)]);
}

function memberJson(member: Member): MemberJson {
  if (!isInnerList(member)) return itemJson(member);
  return [member.items.map(itemJson), parametersJson(member.parameters)];
}

export function parametersJson(parameters: Parameters): ParametersJson {
  return Array.from(parameters, ([key, value]) => [key, bareJson(value)]);
}

function bareJson(item: BareItem): BareJson {
  switch (item.type) {
    case 'integer':
    case 'string':
    case 'boolean':
      return item.value;
    case 'decimal':
      return Number.isInteger(item.value) ? { __type: 'decimal', value: item.value } : item.value;
    case 'date':
      return { __type: 'date', value: item.value };
    case 'token':
      return { __type: 'token', value: item.value };
    case 'display-string':
      return { __type: 'displaystring', value: item.value };
    case 'bytes':
      return { __type: 'binary', value: Buffer.from(item.value).toString('base64') };
  }
}
