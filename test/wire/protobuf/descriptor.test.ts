import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { fileDescriptor } from '../../../src/wire/protobuf/descriptor.ts';
import { field, message, repeated } from '../../../src/wire/protobuf/message.ts';
import { protoText } from '../../../src/wire/protobuf/proto-text.ts';
import { BYTES } from '../../../src/wire/protobuf/types.ts';
import { FILE, OTHER } from './_declared.ts';

test('the text of a file', async () => {
  await expect(protoText(FILE)).toMatchFileSnapshot('all.proto');
});

test('descriptors are what protoc makes of the text', () => {
  // By protoc 3.21.12 --descriptor_set_out. test/foreign/ has it made of every file.
  const bytes = readFileSync(new URL('descriptors.binpb', import.meta.url));
  const expected = message('Set', { file: repeated(1, BYTES) }).decode(bytes);
  expect({ file: [OTHER, FILE].map((file) => Buffer.from(fileDescriptor(file))) }).toEqual(
    expected,
  );
});

test('an empty file', () => {
  const file = { name: 'a.proto', package: 'a', messages: [message('a.A', {})] };
  expect(protoText(file)).toBe('syntax = "proto3";\n\npackage a;\n\nmessage A {}\n');
  expect(message('F', { name: field(1, BYTES) }).decode(fileDescriptor(file)).name).toEqual(
    Buffer.from('a.proto'),
  );
});
