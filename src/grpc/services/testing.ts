import { message } from '../../wire/protobuf/message.ts';
import { unary, type Service } from '../service.ts';

const Empty = message('grpc.testing.Empty', {});

/** The service of gRPC's interoperability tests (grpc/grpc doc/interop-test-descriptions.md). */
export const testService: Service = {
  name: 'grpc.testing.TestService',
  methods: {
    EmptyCall: unary(Empty, Empty, () => ({})),
  },
};
