import { expect, test } from 'vitest';
import { until } from '../_adapters.ts';
import { overBothProtocols } from '../_everywhere.ts';
import * as h2 from '../_frames.ts';
import { exchange, openSocket } from '../_raw.ts';

/** The content of an HTTP/1.1 response. */
function contentOf(received: string): string {
  return received.slice(received.indexOf('\r\n\r\n') + 4);
}

overBothProtocols(({ client, transport, running }) => {
  const ask = (value: string) => client().request('/dump/request', { headers: { 'x-a': value } });

  test('a header section that is not UTF-8 is not text', async () => {
    const text = await ask('caf\u00c3\u00a9');
    expect(text.headers).toMatchObject({
      'content-type': 'text/plain; charset=utf-8',
      'x-content-type-options': 'nosniff',
    });
    expect(text.body.toString()).toContain('x-a: café\r\n');
    const bytes = await ask('\u00ff');
    expect(bytes.headers['content-type']).toBe('application/octet-stream');
    expect(bytes.body.toString('latin1')).toContain('x-a: \u00ff\r\n');
  });

  if (transport === 'http/1.1') {
    test.each([
      'GET /dump/request?a=%zz&b HTTP/1.1\r\nhOSt: x\r\nX-Twice: 1\r\nB: 2\r\nx-TWICE: 3\r\nA:\r\nConnection: close\r\n\r\n',
      'PROPFIND http://a.example/dump/request HTTP/1.1\r\nConnection: close\r\nHost: a.example\r\n\r\n',
      'GET /dump/request HTTP/1.0\r\n\r\n',
    ])('HTTP/1.1: the header section as received: %j', async (request) => {
      // A field without a value is shown with an empty value.
      const shown = request.replace('A:\r\n', 'A: \r\n');
      expect(contentOf(await exchange(running().port, request))).toBe(shown);
    });

    test('HTTP/1.1: the content without its transfer coding', async () => {
      const head =
        'POST /dump/request HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n';
      const content = '3\r\na=1\r\n2\r\n\r\n\r\n0\r\n\r\n';
      const received = await exchange(running().port, head + content);
      expect(contentOf(received)).toBe(`${head}a=1\r\n`);
    });
  } else {
    test('HTTP/2: the field list as received', async () => {
      const session = new h2.FrameClient(await openSocket(running().port, ['h2']));
      session.send(
        h2.get(1, '/dump/request?a', ['x-b', '2'], ['x-a', '1'], ['x-b', ''], ['cookie', 'a=1']),
      );
      await until(() => session.isDone(1));
      session.socket.destroy();
      expect(session.content(1)).toBe(
        ':method: GET\r\n:scheme: http\r\n:authority: x\r\n:path: /dump/request?a\r\n' +
          'x-b: 2\r\nx-a: 1\r\nx-b: \r\ncookie: a=1\r\n\r\n',
      );
    });
  }
});
