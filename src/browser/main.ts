import { addCopyButtons } from './copy.ts';
import { showParts } from './parts.ts';
import { enableSearch } from './search.ts';
import { enableForms } from './try.ts';

addCopyButtons();
enableSearch();
enableForms();
// Last: it tells the others which part is shown.
showParts();
