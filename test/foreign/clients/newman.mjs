import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

// Requests of Postman's collection with their tests, but for those below /time/, which the dialect does not have.
// FOREIGN_MODULES has the packages, FOREIGN_COLLECTION is the collection.

const { FOREIGN_URL, FOREIGN_MODULES, FOREIGN_COLLECTION } = process.env;
const newman = createRequire(pathToFileURL(`${FOREIGN_MODULES}/`))('newman');

/** The items, with URLs of the service. */
function here(items) {
  const kept = items.filter(({ request }) => !request?.url.raw.includes('/time/'));
  for (const each of kept) {
    if (each.item) each.item = here(each.item);
    else each.request.url = each.request.url.raw.replace('https://postman-echo.com', FOREIGN_URL);
  }
  return kept;
}

const collection = JSON.parse(readFileSync(FOREIGN_COLLECTION, 'utf8'));
collection.item = here(collection.item);
newman.run({ collection, reporters: [] }, (error, summary) => {
  if (error) throw error;
  for (const { item, assertions = [], testScript = [], requestError } of summary.run.executions) {
    const errors = [...assertions, ...testScript].map((each) => each.error);
    const found = [requestError, ...errors].find((each) => each);
    const outcome = found || assertions.length === 0 ? 'failed' : 'passed';
    const name = `${item.name}${found ? `: ${found.message}` : ''}`;
    console.log(JSON.stringify({ name, outcome }));
  }
});
