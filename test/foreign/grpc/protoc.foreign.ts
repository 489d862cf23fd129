import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { findProgram } from '../../../bench/processes.ts';
import { fileDescriptor } from '../../../src/wire/protobuf/descriptor.ts';
import { message, repeated } from '../../../src/wire/protobuf/message.ts';
import { BYTES } from '../../../src/wire/protobuf/types.ts';
import { files } from '../../grpc/_client.ts';
import { runProgram } from './_program.ts';

const asText = (bytes: Uint8Array) => Buffer.from(bytes).toString('latin1');
const protoc = findProgram('protoc');

test.skipIf(protoc === undefined)('descriptors are what protoc makes of proto/', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'wirebin-protoc-'));
  const out = join(directory, 'set');
  const root = fileURLToPath(new URL('../../../proto', import.meta.url));
  const names = files.map(({ name }) => name);
  const flags = ['-I', root, `--descriptor_set_out=${out}`];
  expect(await runProgram(protoc ?? '', [...flags, ...names])).toMatchObject({ code: 0 });
  const { file: made = [] } = message('Set', { file: repeated(1, BYTES) }).decode(
    readFileSync(out),
  );
  rmSync(directory, { recursive: true });
  const expected = files.map((file) => asText(fileDescriptor(file)));
  expect(made.map(asText).sort()).toEqual(expected.sort());
});
