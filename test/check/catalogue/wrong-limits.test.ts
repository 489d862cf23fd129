import { testWrongProxies } from '../_run.ts';
import { wrongProxies } from '../wrong/all.ts';

testWrongProxies(wrongProxies.limits);
