// scripts/browser.mjs makes it of the package.
export { default } from 'uplot';
