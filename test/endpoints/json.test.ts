import { expect } from 'vitest';
import { servesDocument } from './_document.ts';

servesDocument('/json', 'application/json', (text) => {
  expect(JSON.parse(text)).toMatchObject({ kettle: { colour: 'grün', owner: null } });
});
