import { testWithEveryCheck } from './_run.ts';
import { wrongProxies } from './wrong/all.ts';

testWithEveryCheck(wrongProxies.connections);
