import { describe, expect, test } from 'vitest';
import { Problem, problems } from '../../src/http/problem.ts';
import { isProblemCode, problemCodes, problemPage } from '../../src/pages/problem-page.ts';
import { overOneProtocol } from '../_everywhere.ts';

describe('the catalogue', () => {
  test('is listed in its order', () => {
    expect(problemCodes).toEqual(Object.keys(problems));
  });

  test.each(problemCodes)('%s has a cause and a page', (code) => {
    const { status, cause } = problems[code];
    expect(cause).toMatch(/\.$/);
    expect(problemPage(code, true)).toContain(`status ${status}`);
  });

  test('inherited property names are not codes', () => {
    expect(['constructor', '__proto__', 'toString', ''].filter(isProblemCode)).toEqual([]);
  });
});

overOneProtocol(({ client }) => {
  test.each(problemCodes)(
    'RFC 9457 3.1.1: the type of %s is the URL of its explanation',
    async (code) => {
      const { type } = JSON.parse(new Problem(code, 'x').toDocument()) as { type: string };
      const { status, headers, body } = await client().request(type, {
        headers: { accept: 'application/json' },
      });
      expect(status).toBe(200);
      expect(headers.vary).toBe('Accept');
      expect(JSON.parse(body.toString())).toEqual({ type, ...problems[code] });
    },
  );

  test('an HTML page by default', async () => {
    const { headers, body } = await client().request('/problems/not-found');
    expect(headers['content-type']).toBe('text/html; charset=utf-8');
    expect(body.toString()).toContain('<h1>The path does not exist</h1>');
    expect(body.toString()).toContain('"../docs/errors"');
  });

  test.each(['nothing', 'constructor', 'Not-Found', 'not-found/'])('%s is 404', async (code) => {
    const { status, headers } = await client().request(`/problems/${code}`);
    expect(status).toBe(404);
    expect(headers['content-type']).toBe('application/problem+json');
  });
});
