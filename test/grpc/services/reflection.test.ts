import { beforeAll, describe, expect, test } from 'vitest';
import type { ClientHttp2Session } from 'node:http2';
import { fileDescriptor } from '../../../src/wire/protobuf/descriptor.ts';
import { sharedService } from '../../_shared.ts';
import { openSession } from '../_call.ts';
import { call, files } from '../_client.ts';

const running = sharedService();
let session: ClientHttp2Session;
beforeAll(() => {
  session = openSession(running().port);
});

const bytesOf = (name: string) =>
  files.filter((file) => file.name === name).map((file) => Buffer.from(fileDescriptor(file)));

describe.each(['v1', 'v1alpha'])('%s', (version) => {
  const path = `grpc.reflection.${version}.ServerReflection/ServerReflectionInfo`;
  const answers = async (...requests: readonly Record<string, unknown>[]) =>
    (await call(session, path, requests)).messages;

  test('lists services', async () => {
    const [answer] = await answers({ host: 'a', list_services: '' });
    expect(answer).toMatchObject({
      valid_host: 'a',
      original_request: { host: 'a', list_services: '' },
      list_services_response: {
        service: expect.arrayContaining([
          { name: `grpc.reflection.${version}.ServerReflection` },
          { name: 'wirebin.v1.Wirebin' },
        ]),
      },
    });
  });

  test.each([
    { file_by_filename: 'grpcbin/grpcbin.proto' },
    { file_containing_symbol: 'grpcbin.GRPCBin' },
    { file_containing_symbol: 'grpcbin.GRPCBin.Index' },
    { file_containing_symbol: 'grpcbin.DummyMessage.Sub' },
    { file_containing_symbol: 'grpcbin.DummyMessage.Enum' },
    { file_containing_symbol: 'grpcbin.DummyMessage.f_string' },
  ])('%j', async (request) => {
    expect(await answers(request)).toMatchObject([
      { file_descriptor_response: { file_descriptor_proto: bytesOf('grpcbin/grpcbin.proto') } },
    ]);
  });

  test('sends imports with a file, and each of them once', async () => {
    const request = { file_containing_symbol: 'grpc.testing.TestService' };
    const [first, second] = await answers(request, request);
    const own = bytesOf('grpc/testing/test.proto');
    const imported = ['grpc/testing/empty.proto', 'grpc/testing/messages.proto'].flatMap(bytesOf);
    expect(first).toMatchObject({
      file_descriptor_response: { file_descriptor_proto: [...own, ...imported] },
    });
    expect(second).toMatchObject({ file_descriptor_response: { file_descriptor_proto: own } });
  });

  test.each([
    [{ file_by_filename: 'a.proto' }, 5, 'not found: file a.proto'],
    [{ file_containing_symbol: 'a.B' }, 5, 'not found: a.B'],
    [
      { file_containing_extension: { containing_type: 'a.B', extension_number: 7 } },
      5,
      'not found: extension 7 of a.B',
    ],
    [{ all_extension_numbers_of_type: 'a.B' }, 5, 'not found: a.B'],
    [{}, 3, 'the request asks for nothing'],
  ])('%j is an error', async (request, code, text) => {
    expect(await answers(request)).toMatchObject([
      { error_response: { error_code: code, error_message: text } },
    ]);
  });

  test('a message without extensions', async () => {
    const type = 'grpcbin.DummyMessage';
    expect(await answers({ all_extension_numbers_of_type: type })).toMatchObject([
      { all_extension_numbers_response: { base_type_name: type } },
    ]);
  });
});
