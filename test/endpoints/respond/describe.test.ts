import { expect, test } from 'vitest';
import { overBothProtocols, overOneProtocol } from '../../_everywhere.ts';

overBothProtocols(({ client }) => {
  const send = (description: unknown, path = '/respond') =>
    client().request(path, { method: 'POST', body: JSON.stringify(description) });

  test('JSON describes what a query does', async () => {
    const answer = await send({
      status: '201:1',
      header: ['X-A: 1', 'x-a: 2'],
      body: 'caf\u00e9 & more',
      delay: 0.001,
      informational: [103, 102],
      informational_header: { Link: '</a>' },
      trailer: { 'X-T': ['1', 2] },
      chunk: 3,
    });
    expect(answer.status).toBe(201);
    expect(answer.headers['x-a']).toBe('1, 2');
    expect(answer.body.toString()).toBe('caf\u00e9 & more');
    expect(answer.trailers['x-t']).toBe('1, 2');
  });

  test('any bytes, and JSON as content', async () => {
    const bytes = Buffer.from(Array.from({ length: 100_000 }, (_, at) => at % 256));
    const sent = await send({ base64: bytes.toString('base64') });
    expect(sent.body.equals(bytes)).toBe(true);
    const { headers, body } = await send({ body: { a: [1, '\u00e9'] } });
    expect(headers['content-type']).toBe('application/json');
    expect(body.toString()).toBe('{"a":[1,"\u00e9"]}');
  });

  test('with a query, content is content', async () => {
    const { status, body } = await send({ status: 404 }, '/respond?status=202&body=a');
    expect([status, body.toString()]).toEqual([202, 'a']);
  });

  test('a sequence', async () => {
    const sequence = { first: [{ status: 503 }, { body: 'second' }], then: { status: 204 } };
    const path = `/respond/json-${client().transport.replaceAll(/\W/g, '')}`;
    const statuses = [];
    for (let at = 0; at < 4; at++) statuses.push((await send(sequence, path)).status);
    expect(statuses).toEqual([503, 200, 204, 204]);
  });
});

const names = Array.from({ length: 10_001 }, (_, at) => `"name${at}":0`);
const manyNames = `{${names.join(',')}}`;

/** A list in a list, and so on. */
const nested = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth);

overBothProtocols(
  ({ client }) => {
    test('a description has a bound of its own', async () => {
      const [most, more] = [0, 1].map((over) => {
        const length = 2 * 1024 ** 2 + over - '{"body":""}'.length;
        return client().request('/respond', {
          method: 'POST',
          body: JSON.stringify({ body: 'x'.repeat(length) }),
        });
      });
      expect(await most).toMatchObject({ status: 200 });
      const { status, body } = (await more) ?? expect.fail();
      expect(status).toBe(400);
      expect(body.toString()).toContain('has 2097153 bytes, the maximum is 2097152');
    });

    test('content may be nested as deeply as the bound allows', async () => {
      const body = `{"body":${nested(2046)}}`;
      const answer = await client().request('/respond', { method: 'POST', body });
      expect([answer.status, answer.body.toString()]).toEqual([200, nested(2046)]);
    });
  },
  '--max-body-size',
  '16M',
);

overOneProtocol(({ client }) => {
  test.each([
    ['{"a', 'the description is no JSON'],
    ['"status"', 'content: a description is an object'],
    ['[]', 'content: a description is an object'],
    ['null', 'content: a description is an object'],
    ['{"stauts":1}', 'content: stauts is not a parameter of /respond; did you mean status?'],
    [
      '{"headers":{"a":"b"}}',
      'content: headers is not a parameter of /respond; did you mean header?',
    ],
    ['{"status":null}', 'content: status is neither text nor a number'],
    ['{"status":{}}', 'content: status is neither text nor a number'],
    ['{"status":99}', 'content: status=99'],
    ['{"header":["a: b","c"]}', 'content: header[1]=c is not a field line'],
    ['{"header":["a: b",1.5]}', 'content: header[1]=1.5 is not a field line'],
    ['{"header":["a: b",[]]}', 'content: header[1] is neither text nor a number'],
    ['{"header":{"a":["b",null]}}', 'content: header.a is neither text nor a number'],
    ['{"header":{"a":"b\\r\\nc: d"}}', 'is not a field value'],
    ['{"header":{"a:b":"c"}}', 'b: c'],
    [`{"body":${'['.repeat(1_000_000)}`, 'the description is nested so deeply'],
    [`{"header":${'{"a":'.repeat(400_000)}`, 'the description is nested so deeply'],
    [`{"body":[${'[],'.repeat(200_000)}1]}`, 'the description has more than 150000 values'],
    [manyNames, 'the description has more than 10000 different names'],
    ['{"body":"a","content":"echo"}', 'content: body contradicts content'],
    [`{"status":"${'200,'.repeat(5000)}200"}`, 'status has more than 16384 characters'],
    [`{"base64":"${'A'.repeat(1_500_000)}!"}`, 'A is not base64'],
    [`{"header":[${'"a: b",'.repeat(2000)}"a: b"]}`, 'there are more than 2000 values'],
    [`{"header":[${'"a: b",'.repeat(1100)}"a: b"]}`, 'the maximum is 32768'],
  ])('%.60s: 400, %s', async (body, detail) => {
    const answer = await client().request('/respond', { method: 'POST', body });
    if (answer.status === 200) expect(answer.headers['a']).toBe(detail);
    else
      expect([answer.status, JSON.parse(answer.body.toString())]).toEqual([
        400,
        expect.objectContaining({ detail: expect.stringContaining(detail) }),
      ]);
  });

  test.each([
    ['[]', 'content: an object with `first`'],
    ['{}', 'first or then is required'],
    ['{"first":{}}', 'content: an object with `first`'],
    ['{"frist":[]}', 'content: an object with `first`'],
    ['{"first":[{},{"status":"x"}]}', 'content.first[1]: status=x'],
    ['{"then":{"body":"a","status":204}}', 'content.then: status contradicts body'],
    [`{"first":[${'{},'.repeat(100)}{}]}`, 'content.first has more than 100'],
  ])('in turn, %s: 400, %s', async (body, detail) => {
    const answer = await client().request('/respond/wrong', { method: 'POST', body });
    expect(answer.status).toBe(400);
    expect(answer.body.toString()).toContain(detail);
  });
});
