// Made from the package by scripts/browser.mjs.
export { default } from 'uplot';
