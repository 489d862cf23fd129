import { expect } from 'vitest';
import { servesDocument } from './_document.ts';

servesDocument('/robots.txt', 'text/plain; charset=utf-8', (text) => {
  expect(text).toBe('User-agent: *\nDisallow: /\n');
});
