import { expect, test } from 'vitest';
import { overOneProtocol } from '../../_everywhere.ts';

overOneProtocol(({ client }) => {
  test.each([
    ['body=a&content=echo', 'body contradicts content: a response has one content'],
    ['body=a&base64=YQ', 'body contradicts base64'],
    ['body=a&rate=1&duration=1', 'rate=1 contradicts duration=1'],
    ['chunk=10', 'chunk needs content'],
    ['encoding=gzip', 'encoding needs content'],
    ['status=204&body=a', 'status contradicts body'],
    ['status=204,304:2&framing=length', 'status contradicts framing=length'],
    ['body=a&type=text/css&header=content-type:a/b', 'type=text/css contradicts header'],
    ['body=a&encoding=br&header=Content-Encoding:br', 'encoding=br contradicts header'],
    ['body=a&digest=md5&header=Repr-Digest:x', 'digest=md5 contradicts header'],
    ['body=a&trailer=a:b&framing=length', 'trailer contradicts framing=length'],
    ['body=a&chunk=1&framing=length', 'chunk=1 contradicts framing=length'],
    ['informational_header=a:b', 'informational_header needs informational'],
    ['fault=reset&trailer=a:b', 'fault=reset contradicts trailer'],
    ['fault=reset&connection=close', 'fault=reset contradicts connection=close'],
    ['fault=chunk&framing=length', 'fault=chunk contradicts framing=length'],
    ['fault=content-length&framing=chunked', 'fault=content-length contradicts framing=chunked'],
    ['fault=no-read&content=echo', 'fault=no-read contradicts content'],
    ['fault=garbage&status=404', 'fault=garbage contradicts status'],
    ['fault=reset@100&body=a', 'after=100 exceeds length=1'],
    ['header=a', 'header=a is not a field line'],
    ['header=a:%0Ab', 'is not a field value'],
    ['header=a:b%0Dc', 'is not a field value'],
    ['header=a:%00', 'is not a field value'],
    ['header=Content-Length:1', 'cannot be set'],
    ['trailer=Content-Type:a/b&body=a', 'cannot be a trailer field'],
    ['informational=103&informational_header=a:%0D', 'is not a field value'],
  ])('%s: 400, %s', async (query, detail) => {
    const { status, body } = await client().request(`/respond?${query}`);
    expect(status).toBe(400);
    expect(body.toString()).toContain(detail);
  });
});
