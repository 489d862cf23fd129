import { testHopeless } from '../_hopeless.ts';
import { testWrongAgain } from '../_wrong-again.ts';
import { cookie } from '../wrong-again/cookie.ts';
import { field } from '../wrong-again/field.ts';
import { framing } from '../wrong-again/framing.ts';
import { hop } from '../wrong-again/hop.ts';
import { notFound } from '../wrong-again/not-found-requests.ts';

const TOPICS = 'framing hop field cookie target host forwarding method expect'.split(' ');

testHopeless(TOPICS, { recording: [], 'black hole': [], '400': [] });
testWrongAgain('cookie', cookie, notFound);
testWrongAgain('field', field, notFound);
testWrongAgain('framing', framing, notFound);
testWrongAgain('hop', hop, notFound);
