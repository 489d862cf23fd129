import { expect, test } from 'vitest';
import { everywhere, overOneProtocol } from '../_everywhere.ts';

/** The values of a field's lines, as received. */
function lines(rawHeaders: readonly string[], name: string): string[] {
  return rawHeaders.filter((_, at) => at % 2 === 1 && rawHeaders[at - 1]?.toLowerCase() === name);
}

everywhere(({ client }) => {
  test('sends fields with the events', async () => {
    const query =
      'count=2&duration=10ms&header=X-Accel-Buffering:%20no&header=Cache-Control:no-store';
    const { status, headers, body } = await client().request(`/sse?${query}`);
    expect(status).toBe(200);
    expect(headers).toMatchObject({
      'content-type': 'text/event-stream',
      'x-accel-buffering': 'no',
      'cache-control': 'no-store',
    });
    expect(body.toString().match(/^data: /gm)).toHaveLength(2);
  });

  test('fields of the client replace others, and may repeat', async () => {
    const type = 'text/event-stream;%20charset=utf-8';
    const query = `count=1&header=content-type:${type}&header=X-A:%C3%A9&header=x-a:2&header=X-Request-Id:mine`;
    const { rawHeaders } = await client().request(`/sse?${query}`);
    expect(lines(rawHeaders, 'content-type')).toEqual(['text/event-stream; charset=utf-8']);
    expect(lines(rawHeaders, 'x-a')).toEqual([Buffer.from('é').toString('latin1'), '2']);
    expect(lines(rawHeaders, 'x-request-id')).toEqual(['mine']);
  });
});

overOneProtocol(({ client }) => {
  test.each([
    ['header=Content-Length:5', 'Content-Length cannot be set'],
    ['header=X%20A:5', 'is not a field line: Name: value'],
    ['header=X-A:a%0d%0aX-B:b', 'is not a field value'],
    ['header=Content-Type:text/javascript', 'only --allow-raw allows it'],
    ['header=X-Content-Type-Options:sniff', 'only --allow-raw allows it'],
    ['header=Service-Worker-Allowed:/', 'only --allow-raw allows it'],
    ['header=a:&'.repeat(1000), 'the maximum is 32768'],
    ['heder=X-A:1', 'heder is not a parameter of /sse; did you mean header?'],
    ['field=X-A:1', 'field is not a parameter of /sse; it has count, duration'],
  ])('%.60s: 400', async (query, detail) => {
    const { status, body } = await client().request(`/sse?delay=1&${query}`);
    expect([status, body.toString()]).toEqual([400, expect.stringContaining(detail)]);
  });
});
