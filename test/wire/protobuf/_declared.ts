import type { ProtoFile } from '../../../src/wire/protobuf/descriptor.ts';
import {
  field,
  map,
  member,
  message,
  optional,
  repeated,
} from '../../../src/wire/protobuf/message.ts';
import * as types from '../../../src/wire/protobuf/types.ts';

const { BOOL, BYTES, DOUBLE, FLOAT, INT32, INT64, STRING, UINT32, UINT64 } = types;

export const Colour = types.enumeration('test.v1.Colour', { NONE: 0, RED: 1, BELOW: -1 });
const Nested = types.enumeration('test.v1.All.Kind', { KIND_UNKNOWN: 0, KIND_OTHER: 7 });

export const Part = message('test.v1.All.Part', {
  text: field(1, STRING),
  count: optional(2, INT32),
});

/** A field of each kind. */
export const All = message(
  'test.v1.All',
  {
    a_double: field(1, DOUBLE),
    a_float: field(2, FLOAT),
    an_int64: field(3, INT64),
    a_uint64: field(4, UINT64),
    an_int32: field(5, INT32, 'Has a comment\nof two lines.'),
    a_bool: field(6, BOOL),
    a_string: field(7, STRING),
    some_bytes: field(8, BYTES),
    a_uint32: field(9, UINT32),
    colour: field(10, Colour),
    kind: field(11, Nested),
    part: field(12, Part),
    maybe: optional(13, UINT32),
    numbers: repeated(14, INT32),
    longs: repeated(15, INT64),
    doubles: repeated(16, DOUBLE),
    bools: repeated(17, BOOL),
    colours: repeated(18, Colour),
    texts: repeated(19, STRING),
    parts: repeated(20, Part),
    one_text: member('choice', 21, STRING),
    one_part: member('choice', 22, Part),
    by_name: map(23, STRING, Part),
    by_number: map(300, INT32, DOUBLE),
    Odd__name_: field(536_870_911, BYTES),
  },
  'Has fields of each kind.',
);

const Empty = message('test.v1.other.Empty', {});

export const OTHER: ProtoFile = {
  name: 'test/v1/other.proto',
  package: 'test.v1.other',
  messages: [Empty],
};

export const FILE: ProtoFile = {
  name: 'test/v1/all.proto',
  package: 'test.v1',
  imports: [OTHER],
  enums: [Colour, Nested],
  messages: [All, Part],
  services: [
    {
      name: 'test.v1.Service',
      methods: {
        Unary: { request: All, response: Empty },
        Up: { request: All, response: Part, streamsRequests: true },
        Down: { request: Part, response: All, streamsResponses: true },
        Both: { request: All, response: All, streamsRequests: true, streamsResponses: true },
      },
    },
  ],
};
