import { override, type Override } from '../server/endpoint.ts';
import { HTML_TYPE } from '../server/reply.ts';
import { documentDeclaration } from '../server/representation.ts';

// From chapter 112 of Herman Melville's novel (1851), as there: tests look for its first words.
const MOBY_DICK = `<!doctype html>
<html>
  <head>
    <title>Moby-Dick</title>
  </head>
  <body>
    <h1>Herman Melville - Moby-Dick</h1>
    <p>Availing himself of the mild, summer-cool weather that now reigned in these latitudes, and in preparation for the peculiarly active pursuits shortly to be anticipated, Perth, the begrimed, blistered old blacksmith, had not removed his portable forge to the hold again, after concluding his contributory work for Ahab's leg, but still retained it on deck, fast lashed to ringbolts by the foremast.</p>
  </body>
</html>
`;

/** With sorted keys, as Flask serializes them. */
const SLIDES = {
  slideshow: {
    author: 'Yours Truly',
    date: 'date of publication',
    slides: [
      { title: 'Wake up to WonderWidgets!', type: 'all' },
      {
        items: ['Why <em>WonderWidgets</em> are great', 'Who <em>buys</em> WonderWidgets'],
        title: 'Overview',
        type: 'all',
      },
    ],
    title: 'Sample Slide Show',
  },
};

const SLIDES_XML = `<?xml version='1.0' encoding='us-ascii'?>
<slideshow title="Sample Slide Show" date="Date of publication" author="Yours Truly">
  <slide type="all">
    <title>Wake up to WonderWidgets!</title>
  </slide>
  <slide type="all">
    <title>Overview</title>
    <item>Why <em>WonderWidgets</em> are great</item>
    <item/>
    <item>Who <em>buys</em> WonderWidgets</item>
  </slide>
</slideshow>
`;

/**
 * Documents with the content that clients of httpbin and go-httpbin expect.
 *
 * @param json media type of JSON
 * @param text media type of text
 */
export function documents(json: string, text: string): readonly Override[] {
  return [
    override('/html', documentDeclaration(HTML_TYPE, MOBY_DICK)),
    override('/json', documentDeclaration(json, `${JSON.stringify(SLIDES, null, 2)}\n`)),
    override('/xml', documentDeclaration('application/xml', SLIDES_XML)),
    override('/robots.txt', documentDeclaration(text, 'User-agent: *\nDisallow: /deny\n')),
  ];
}
