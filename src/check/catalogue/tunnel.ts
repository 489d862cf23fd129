import { topic } from '../check.ts';
import { expectSame, fail, pass } from '../verdict.ts';
import { outcomeOf, type FieldLine } from '../message.ts';
import { problemType, rawTarget, receivedOf, TAG } from '../origin.ts';

const TUNNEL = {
  section: 'RFC 9110 3.7',
  level: 'must',
  risk: 'interop',
  profiles: ['tcp'],
} as const;

/** Checks of a tunnel, which forwards bytes and must not change any (RFC 9110 3.7). */
export const tunnelChecks = topic(TUNNEL, [
  {
    id: 'tunnel/request',
    rule: 'A request is forwarded unchanged: its target, and its fields with their names, order and number.',
    async run(session) {
      const tag = session.newTag();
      const fields: FieldLine[] = [
        [TAG, tag],
        ['X-Check-Z', 'a  b'],
        ['x-check-a', ''],
        ['X_Check.Z', '1'],
        ['X-Check-Z', '2'],
      ];
      const path = `/anything/${tag}/./a//b%2Fc`;
      const transfer = session.record(await session.send({ target: path, fields }));
      const received = receivedOf(transfer, tag);
      if (!received) return fail('the request reaches the origin', 'no echo', transfer);
      const isHttp2 = session.front === 'h2';
      const sent = isHttp2
        ? fields.map(([name, value]) => [name.toLowerCase(), value] as const)
        : [['Host', session.target.authority] as const, ...fields];
      const arrived = received.fields.filter(([name]) => !name.startsWith(':'));
      return expectSame(shown(path, sent), shown(received.path, arrived), transfer);
    },
  },
  {
    id: 'tunnel/response',
    rule: 'A response is forwarded byte for byte.',
    fronts: ['http/1.1'],
    needs: ['raw'],
    async run(session) {
      const response =
        'HTTP/1.1 200 as sent\r\nx-CHECK:  a\r\nX_y: \r\ncontent-length: 2\r\n\r\nhi';
      const transfer = await session.send({ target: rawTarget(response) });
      return expectSame(response, transfer.received, transfer);
    },
  },
  {
    id: 'tunnel/malformed',
    rule: 'Bytes that are not an HTTP request are forwarded to the origin.',
    fronts: ['http/1.1'],
    observes: 'target',
    async run(session) {
      const transfer = await session.raw('wirebin check\r\n\r\n');
      return problemType(transfer.response) === undefined
        ? fail('a response of the origin', `${outcomeOf(transfer)} from the target`, transfer)
        : pass();
    },
  },
  {
    id: 'tunnel/protocol',
    rule: 'The origin receives the protocol of the client.',
    async run(session) {
      const { transfer, received } = await session.echo();
      const sent = session.front === 'h2' ? 'HTTP/2.0' : 'HTTP/1.1';
      return expectSame(sent, received?.version ?? 'no echo', transfer);
    },
  },
  {
    id: 'tunnel/connections',
    rule: 'Each client connection has its own connection to the origin.',
    fronts: ['http/1.1'],
    async run(session) {
      const connections: (string | undefined)[] = [];
      for (const requests of [2, 1]) {
        const client = await session.openHttp1();
        for (let number = 1; number <= requests; number++) {
          const { received } = await session.echoOn(client);
          connections.push(received?.connection);
        }
      }
      const [first, second, other] = connections;
      if (first === undefined || other === undefined)
        return fail('echoes', 'none', ...session.transfers);
      if (first === other)
        return fail('two connections', 'one, for two clients', ...session.transfers);
      return first === second
        ? pass()
        : fail('one connection for one client', 'two', ...session.transfers);
    },
  },
]);

function shown(path: string, fields: readonly FieldLine[]): string {
  return [path, ...fields.map((line) => line.join(': '))].join('\n');
}
