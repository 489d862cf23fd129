import { expect, test } from 'vitest';
import { Problem, problems, type ProblemCode } from '../../src/http/problem.ts';
import { reasonPhrases } from '../../src/http/status.ts';

const entries = Object.entries(problems) as [ProblemCode, { status: number; title: string }][];

test.each(entries)('%s has an HTTP error status and a title', (code, entry) => {
  expect(code).toMatch(/^[a-z]+(-[a-z]+)*$/);
  expect(reasonPhrases[entry.status]).toBeDefined();
  expect(entry.status).toBeGreaterThanOrEqual(400);
  expect(entry.title).toMatch(/^[A-Za-z].*[^.]$/);
});

test.each(entries)('%s as a document (RFC 9457 3.1)', (code, { status, title }) => {
  const problem = new Problem(code, 'n=x is not a "number"');
  expect(problem).toBeInstanceOf(Error);
  expect(problem.status).toBe(status);
  expect(problem.fields).toEqual([]);
  const document = problem.toDocument();
  expect(JSON.parse(document)).toEqual({
    type: `/problems/${code}`,
    title,
    status,
    detail: 'n=x is not a "number"',
  });
  expect(document).toMatch(/^\{\n {2}"type"[\s\S]*\}\n$/);
});

test('a document never contains the stack', () => {
  const problem = new Problem('internal-error', 'failed', ['Allow', 'GET']);
  expect(problem.toDocument()).not.toContain('problem.test');
  expect(problem.fields).toEqual(['Allow', 'GET']);
});
