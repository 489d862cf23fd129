import { compileTest, goOutcomes } from './_go.ts';
import { runSuite } from './_suite.ts';

const images = 'sigs.k8s.io/gateway-api-conformance-images';
// The suite requires 0.2.0 of it, which the module proxy did not have.
const module = `go 1.27.0

require (
	sigs.k8s.io/gateway-api v1.7.0
	sigs.k8s.io/gateway-api/conformance v1.7.0
	${images} v0.1.0
)

replace ${images} => ${images} v0.1.0`;

runSuite({
  name: 'gateway-api',
  settings: { dialect: 'gateway-api', namespace: 'ns', 'pod-name': 'web-0' },
  prepare: () => compileTest('gateway-api', module),
  outcomes: goOutcomes,
});
