import { expect } from 'vitest';
import { servesDocument } from './_document.ts';

servesDocument('/xml', 'application/xml', (text) => {
  expect(text).toMatch(/^<\?xml version="1.0" encoding="UTF-8"\?>\n<(\w+)[^]*<\/\1>\n$/);
  expect(text).toContain('grün');
});
