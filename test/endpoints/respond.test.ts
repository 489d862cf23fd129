import { expect, test } from 'vitest';
import type { Received } from '../_client.ts';
import { everywhere, overBothProtocols, overOneProtocol } from '../_everywhere.ts';
import { ask as askOnce, fieldNames } from '../_walk.ts';

const detailOf = ({ body }: Received): string =>
  (JSON.parse(body.toString()) as { detail: string }).detail;

everywhere(({ client, transport }) => {
  const ask = (query: string) => client().request(`/respond?${query}`);
  const isHttp1 = transport.endsWith('1.1');

  test('status, fields, content and delay in one request', async () => {
    const query = 'status=503&header=Retry-After:%201&body=no&delay=10ms';
    for (const written of [query, query.replace('%20', '+'), query.replace('%20', '')]) {
      const { status, headers, body } = await ask(written);
      expect(status).toBe(503);
      expect(headers).toMatchObject({
        'retry-after': '1',
        'content-type': 'text/plain; charset=utf-8',
        'content-length': '2',
        'x-content-type-options': 'nosniff',
      });
      expect(body.toString()).toBe('no');
    }
  });

  test('fields keep order and number, and on HTTP/1.1 case', async () => {
    const { rawHeaders } = await ask('header=X-b:1&header=x-B:2&header=x-A:3&header=X-Empty:');
    const names = rawHeaders.filter((_, at) => at % 2 === 0);
    const values = rawHeaders.filter((_, at) => at % 2 === 1);
    const own = names.flatMap((name, at) => (/^x-[abe]/i.test(name) ? [[name, values[at]]] : []));
    const expected = [
      ['X-b', '1'],
      ['x-B', '2'],
      ['x-A', '3'],
      ['X-Empty', ''],
    ];
    if (isHttp1) expect(own).toEqual(expected);
    else expect(own).toEqual(expected.map(([name = '', value]) => [name.toLowerCase(), value]));
  });

  test('bytes of fields and content are as asked for', async () => {
    const { headers, body } = await ask('header=x:caf%C3%A9%E9&body=%FF%00%0D%0A');
    expect(Buffer.from(String(headers['x']), 'latin1').toString('hex')).toBe('636166c3a9e9');
    expect(body.toString('hex')).toBe('ff000d0a');
    expect(headers['content-type']).toBe('application/octet-stream');
  });

  test('HEAD has the fields of GET', async () => {
    const queries = [
      'body=hello&header=x:1',
      'content=random:10k&duration=10ms',
      'content=lines:3&chunk=16',
      'content=lines:3&trailer=x:1',
      'content=alphabet:1k&encoding=gzip',
      'status=204&header=x:1',
      'content=lines:3&body_delay=10ms&framing=length',
    ];
    for (const query of queries) {
      const [asked, head] = await Promise.all(
        ['GET', 'HEAD'].map((method) => client().request(`/respond?${query}`, { method })),
      );
      if (!asked || !head) throw new Error('no answers');
      expect([query, head.status, fieldNames(head)]).toEqual([
        query,
        asked.status,
        fieldNames(asked),
      ]);
      expect(head.headers['content-length']).toBe(asked.headers['content-length']);
      expect(head.body).toHaveLength(0);
    }
  });

  test('framing that the protocol does not have', async () => {
    for (const framing of ['chunked', 'close']) {
      const answer = await ask(`body=a&framing=${framing}`);
      expect(answer.status).toBe(isHttp1 ? 200 : 400);
      if (!isHttp1) expect(detailOf(answer)).toContain(`framing=${framing}: HTTP/2.0`);
    }
  });

  test('times are at least as long as asked for', async () => {
    for (const query of ['delay=50ms', 'body_delay=50ms&body=a', 'content=lines:9&duration=50ms']) {
      const start = performance.now();
      expect(await ask(query)).toMatchObject({ status: 200 });
      expect(performance.now() - start).toBeGreaterThan(45);
    }
  });
});

overOneProtocol(({ client }) => {
  const ask = (query: string) => client().request(`/respond?${query}`);

  test('shares of statuses', async () => {
    const answers = await Promise.all(
      Array.from({ length: 40 }, () => ask('status=200:50,503:50&body=a')),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 503]));
  });
});

everywhere(({ client, running, transport }) => {
  const key = `in-turn-${transport.replaceAll(/\W/g, '')}`;

  test('another response to each attempt, all in the journal', async () => {
    const query =
      'first=status=503%26header=Retry-After:1&first=fault=head,how=count,fields=50&then=body=done';
    const attempts = [];
    for (let at = 0; at < 4; at++)
      attempts.push(await client().request(`/respond/${key}?${query}`));
    expect(attempts.map(({ status, body }) => [status, body.length])).toEqual([
      [503, 0],
      [200, 10_240],
      [200, 4],
      [200, 4],
    ]);
    expect(attempts[0]?.headers['retry-after']).toBe('1');
    const journal = await client().request(`/journal/${key}`);
    expect(JSON.parse(journal.body.toString())).toMatchObject({ entries: { length: 4 } });
  });

  test('the last response repeats, and a fault may be one', async () => {
    const failing = `/respond/${key}-2?first=fault=close@start`;
    await expect(askOnce(transport, running().port, failing)).rejects.toThrow();
  });

  test('nothing counts as an attempt if a description is wrong', async () => {
    const wrong = await client().request(`/respond/${key}-3?first=status=503&then=stauts=1`);
    expect(wrong.status).toBe(400);
    const right = await client().request(`/respond/${key}-3?first=status=503&then=status=201`);
    expect(right.status).toBe(503);
  });
});

overBothProtocols(({ client }) => {
  test('other dialects do not have it', async () => {
    expect(await client().request('/respond?status=200')).toMatchObject({ status: 404 });
  });
}, '--dialect=httpbin');
