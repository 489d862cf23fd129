import { compiledTest, goOutcomes } from './_go.ts';
import { runSuite } from './_suite.ts';

runSuite({
  name: 'gateway-api',
  settings: { dialect: 'gateway-api', namespace: 'ns', 'pod-name': 'web-0' },
  prepare: () => Promise.resolve(compiledTest('gateway-api-roundtrip-test')),
  outcomes: goOutcomes,
});
