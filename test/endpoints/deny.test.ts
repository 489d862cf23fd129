import { expect } from 'vitest';
import { servesDocument } from './_document.ts';

// robots.txt.test.ts: robots.txt disallows it.
servesDocument('/deny', 'text/plain; charset=utf-8', (text) => {
  expect(text).toContain("YOU SHOULDN'T BE HERE");
});
