import { testHopeless } from '../_hopeless.ts';
import { testWrongAgain } from '../_wrong-again.ts';
import { cookie } from '../wrong-again/cookie.ts';
import { expectation } from '../wrong-again/expect.ts';
import { field } from '../wrong-again/field.ts';
import { forwarding } from '../wrong-again/forwarding.ts';
import { framing } from '../wrong-again/framing.ts';
import { hop } from '../wrong-again/hop.ts';
import { host } from '../wrong-again/host.ts';
import { method } from '../wrong-again/method.ts';
import { target } from '../wrong-again/target.ts';
import { notFound } from '../wrong-again/not-found-requests.ts';

const TOPICS = 'framing hop field cookie target host forwarding method expect'.split(' ');

testHopeless(TOPICS, { recording: [], 'black hole': [], '400': [] });
testWrongAgain('cookie', cookie, notFound);
testWrongAgain('expect', expectation, notFound);
testWrongAgain('field', field, notFound);
testWrongAgain('forwarding', forwarding, notFound);
testWrongAgain('framing', framing, notFound);
testWrongAgain('hop', hop, notFound);
testWrongAgain('host', host, notFound);
testWrongAgain('method', method, notFound);
testWrongAgain('target', target, notFound);
