import { compiledTest, goOutcomes } from './_go.ts';
import { runSuite } from './_suite.ts';

runSuite({
  name: 'go-httpbin',
  settings: {
    dialect: 'go-httpbin',
    'max-body-size': '1024',
    'max-duration': '1',
    'allowed-redirect-domains': 'httpbingo.org,example.org,www.example.com',
  },
  prepare: () => Promise.resolve(compiledTest('go-httpbin-handlers-test')),
  outcomes: goOutcomes,
});
