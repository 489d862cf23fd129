import { createHash, Hash } from 'node:crypto';
import { expect, onTestFinished, test, vi } from 'vitest';
import { alpnOf, isHttp2 } from '../../_client.ts';
import { echoOf } from '../../_echo.ts';
import { overBothProtocols } from '../../_everywhere.ts';
import { exchange, LAST, POST } from '../../_raw.ts';

overBothProtocols(({ client, running, transport }) => {
  const echo = async (path: string, headers: Record<string, string> = {}, body?: string) => {
    const method = body === undefined ? 'GET' : 'POST';
    const answer = await client().request(path, {
      method,
      headers,
      ...(body !== undefined && { body }),
    });
    expect(answer.status).toBe(200);
    return { text: answer.body.toString(), ...echoOf(answer.body) };
  };
  const priority = { priority: 'u=1' };

  test.each(['?explain', '?explain=1', '?explain=TRUE', '?a=b&explain'])(
    'explained with %s',
    async (query) => {
      const { explained } = await echo(`/anything/x${query}`, priority);
      expect(explained).toMatchObject([{ field: 'Priority', reference: 'RFC 9218 4' }]);
    },
  );

  test.each(['', '?explain=0', '?explains'])('not with %j', async (query) => {
    expect(await echo(`/get${query}`, priority)).not.toHaveProperty('explained');
  });

  test('an empty list without fields; a value is on one line', async () => {
    const none = await echo('/get?explain');
    expect(none.explained).toEqual([]);
    expect(none.text).toContain(
      '\n  "explained": [],\n  "field_names": {\n    "unregistered": [],\n',
    );
    const { text } = await echo('/get?explain', priority);
    expect(text).toContain(
      '\n      "value": [["u",[1,[]]]],\n      "meaning": [\n        "Urgency',
    );
  });

  test.each([7, 100_000])('content of %i bytes is hashed once', async (size) => {
    const body = 'x'.repeat(size);
    const digest = createHash('sha256').update(body).digest('base64');
    const update = vi.spyOn(Hash.prototype, 'update');
    onTestFinished(() => update.mockRestore());
    const found = await echo('/post?explain', { 'content-digest': `sha-256=:${digest}:` }, body);
    expect(found.digest).toMatchObject([{ match: true }]);
    expect(found.explained).toMatchObject([
      { meaning: ['The content matches the digest of "sha-256".'] },
    ]);
    const hashed = update.mock.calls.filter(([data]) => Buffer.from(data).toString() === body);
    expect(hashed).toHaveLength(1);
  });

  test('names that are not registered, or not recommended', async () => {
    const headers = { 'x-a': '1', pragma: 'no-cache', digest: 'x', accept: '*/*' };
    const { field_names: names } = await echo('/get?explain', headers);
    expect(names).toEqual({ unregistered: ['x-a'], deprecated: ['pragma'], obsoleted: ['digest'] });
    expect(await echo('/get', headers)).not.toHaveProperty('field_names');
  });

  test('also of content that is echoed in pieces', async () => {
    const body = 'x'.repeat(100_000);
    const digest = createHash('sha256').update(body).digest('base64');
    const { explained } = await echo(
      '/post?explain',
      { 'repr-digest': `sha-256=:${digest}:` },
      body,
    );
    expect(explained).toMatchObject([
      { meaning: ['The content matches the digest of "sha-256".'], problems: [] },
    ]);
  });

  if (!isHttp2(transport))
    test('RFC 9110 6.5: of trailers', async () => {
      const digest = createHash('sha256').update('content').digest('base64');
      const fields = `Transfer-Encoding: chunked\r\nTrailer: content-digest\r\n${LAST}`;
      const content = `7\r\ncontent\r\n0\r\nContent-Digest: sha-256=:${digest}:\r\n\r\n`;
      const sent = POST('/anything?explain', fields, content);
      const received = await exchange(running().port, sent, alpnOf(transport));
      expect(echoOf(received.slice(received.indexOf('{'))).explained).toMatchObject([
        { section: 'trailer', meaning: ['The content matches the digest of "sha-256".'] },
      ]);
    });
});
