import { expect, test } from 'vitest';
import { overOneProtocol } from '../../_everywhere.ts';

overOneProtocol(({ client }) => {
  test.each([
    ['stauts=503', 'stauts is not a parameter of /respond; did you mean status?'],
    ['fault=reset@x', 'has a position other than'],
    ['fault=chunk@50%25', 'has a position, which this fault does not have'],
    ['fault=reset,cod=1', 'cod is not a parameter of fault=reset'],
    ['fault=reset,status=1', 'status is not a parameter of fault=reset'],
    ['fault=rest', 'fault=rest is not one of'],
    ['fault=goaway,code=x', 'code=x is neither'],
    ['content=random:11m', 'exceeds 10485760 bytes'],
    ['content=lines:1m', 'exceeds 10485760 bytes'],
    ['content=alphabet:2m&encoding=gzip', 'exceeds the maximum of 1048576'],
    ['content=alphabet:1m&rate=1', 'the maximum is 300 s'],
    ['body=a&rate=0', 'rate=0 is below the minimum'],
    ['informational=101', 'has 101'],
    ['status=600', 'exceeds the maximum'],
    ['status=503&status=200', 'status is given more than once'],
  ])('%s: 400, %s', async (query, detail) => {
    const { status, body } = await client().request(`/respond?${query}`);
    expect(status).toBe(400);
    expect(body.toString()).toContain(detail);
  });
});
