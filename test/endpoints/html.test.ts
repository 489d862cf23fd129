import { expect } from 'vitest';
import { servesDocument } from './_document.ts';

servesDocument('/html', 'text/html; charset=utf-8', (text) => {
  expect(text).toMatch(/^<!doctype html>\n<html lang="en">[^]*<\/html>\n$/);
  const tags = [...text.matchAll(/<(\/?)(html|head|title|body|h1|p|a)\b/g)];
  const open: string[] = [];
  for (const [, slash, name = ''] of tags) {
    if (slash === '') open.push(name);
    else expect(open.pop()).toBe(name);
  }
  expect(open).toEqual([]);
});
