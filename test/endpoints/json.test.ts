import { expect, test } from 'vitest';
import { overOneProtocol } from '../_everywhere.ts';

overOneProtocol(({ client }) => {
  test('a fixed document', async () => {
    const { status, headers, body } = await client().request('/json');
    expect(status).toBe(200);
    expect(headers['content-type']).toBe('application/json');
    expect(headers['content-length']).toBe(String(body.length));
    const document = body.toString();
    expect(JSON.parse(document)).toMatchObject({ kettle: { colour: 'grün', owner: null } });
    expect((await client().request('/json')).body).toEqual(body);
  });
});
