// Prints what CHANGELOG.md says of the version of a tag, which has to be that of the package.
import { readFileSync } from 'node:fs';

const [tag = ''] = process.argv.slice(2);
const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
const changelog = readFileSync('CHANGELOG.md', 'utf8');

/** The lines below `## [1.2.3] - 2026-11-22`, up to the next version. */
function sectionOf(name) {
  const [, ...sections] = changelog.split(/^## /m);
  const section = sections.find((text) => text.startsWith(`[${name}] - `));
  return section?.slice(section.indexOf('\n')).trim();
}

const notes = sectionOf(version);
if (tag !== `v${version}`) {
  console.error(`the tag is '${tag}', but the package has the version ${version}`);
  process.exitCode = 1;
} else if (!notes) {
  console.error(`CHANGELOG.md has no section '## [${version}] - DATE'`);
  process.exitCode = 1;
} else {
  console.log(notes);
}
