import type { Infer } from '../../server/schema.ts';
import type { remedySchema } from './json-schema.ts';

/** A remedy as reports have it. */
export type ShownRemedy = Infer<typeof remedySchema>;

type Sentences = Pick<ShownRemedy, 'advice' | 'passes_in'>;

/** What to do in a sentence, and which version of the product does it. */
export const remedySentences = ({ advice, passes_in: passing }: Sentences): string[] => [
  ...(advice === undefined ? [] : [advice]),
  ...(passing === undefined ? [] : [`${passing} passes.`]),
];

/** Where lines go, such as `nginx, in location`. */
export const placeText = ({ product, place }: ShownRemedy['directives'][number]): string =>
  place === '' ? product : `${product}, in ${place}`;

/** The sentences, then each line for the configuration, after where it goes. */
export const remedyLines = (remedy: ShownRemedy): string[] => [
  ...remedySentences(remedy),
  ...remedy.directives.flatMap((each) => each.lines.map((line) => `${placeText(each)}: ${line}`)),
];
