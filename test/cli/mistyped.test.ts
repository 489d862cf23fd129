import { expect, test } from 'vitest';
import { runBench } from '../../src/bench/command.ts';
import { runCheck } from '../../src/check/command.ts';
import { health } from '../../src/cli/health/health.ts';
import { readInvocation } from '../../src/cli/command-line.ts';
import { SettingsError } from '../../src/settings/settings-error.ts';
import { streams } from '../_streams.ts';

/** Runs a command line that has to be a usage error. @returns its message */
async function refusal(line: string): Promise<string> {
  try {
    const invocation = readInvocation(line.split(' '), {});
    if (invocation.command === 'check') await runCheck(invocation.args, streams());
    if (invocation.command === 'bench') await runBench(invocation.args, streams());
  } catch (error) {
    if (error instanceof SettingsError) return error.message;
    throw error;
  }
  throw new Error(`${line} is taken`);
}

const either = (host: string): string => `did you mean http://${host} or https://${host}?`;

test.each([
  ['chek', 'unknown command chek; did you mean wirebin check?'],
  [
    'chekc http://a --only hop/*',
    "unknown command chekc; did you mean wirebin check http://a --only 'hop/*'?",
  ],
  ['CHECK http://a', 'unknown command CHECK; did you mean wirebin check http://a?'],
  ['benhc --self', 'unknown command benhc; did you mean wirebin bench --self?'],
  ['start --tap', 'unknown command start; did you mean wirebin serve --tap?'],
  ['server', 'unknown command server; did you mean wirebin serve?'],
  ['compeltion bash', 'unknown command compeltion; did you mean wirebin completion bash?'],
  ['diff a.json b.json', 'unknown command diff; did you mean wirebin check diff a.json b.json?'],
  ['help', 'unknown command help; did you mean wirebin --help?'],
  ['help check', 'unknown command help; did you mean wirebin check --help?'],
  ['version', 'unknown command version; did you mean wirebin --version?'],
  ['9000', 'unknown command 9000; did you mean wirebin --port 9000?'],
  [':9000 --tap', 'unknown command :9000; did you mean wirebin --tap --port 9000?'],
  ['-p 8080 9090', 'unknown command 9090; did you mean wirebin -p 8080 --port 9090?'],
  ['--name serve 9000', 'unknown command 9000; did you mean wirebin --name serve --port 9000?'],
  ['--name tap tap', 'unknown command tap; did you mean wirebin --tap --name tap?'],
  ['--name health health', 'the command comes first: wirebin health --name health'],
  ['port 9000', 'unknown command port; did you mean wirebin --port 9000?'],
  ['9000 9001', 'unknown command 9000; see --help'],
  ['start 9000', 'unknown command start; see --help'],
  ['serve 9000', 'unexpected argument 9000; did you mean wirebin --port 9000?'],
  ['port=9000', 'unknown command port=9000; did you mean wirebin --port=9000?'],
  ['tap', 'unknown command tap; did you mean wirebin --tap?'],
  [
    'localhost:8080',
    'unknown command localhost:8080; did you mean wirebin check http://localhost:8080 or wirebin check https://localhost:8080?',
  ],
  ['http://a/b?c', 'unknown command http://a/b?c; did you mean wirebin check http://a?'],
  [
    '10.0.0.5',
    'unknown command 10.0.0.5; did you mean wirebin check http://10.0.0.5 or wirebin check https://10.0.0.5?',
  ],
  ['a.json', 'unknown command a.json; did you mean wirebin check show a.json?'],
  ['server.js', 'unknown command server.js; see --help'],
  ['./certs/a.pem', 'unknown command ./certs/a.pem; see --help'],
  ['1.5', 'unknown command 1.5; see --help'],
  ['https://a -k', 'unknown command https://a; did you mean wirebin check https://a -k?'],
  ['--check http://a', 'unknown option --check; did you mean wirebin check http://a?'],
  ['--health', 'unknown option --health; did you mean wirebin health?'],
  ['-k check http://a', 'the command comes first: wirebin check -k http://a'],
  ['--tap check http://a', 'the command comes first: wirebin check --help'],
  ['--no-tap bench http://a', 'the command comes first: wirebin bench --help'],
  ['chekc http://a -p 1', 'unknown command chekc; did you mean wirebin check --help?'],
  ['a:1 --tap', 'unknown command a:1; did you mean wirebin check --help?'],
  ['--check http://a --tap', 'unknown option --check; did you mean wirebin check --help?'],
  ['--port 9000 health live', 'the command comes first: wirebin health --help'],
  ['--port 9000 health', 'the command comes first: wirebin health --port 9000'],
  ['--h', 'unknown option --h; did you mean --help?'],
  ['-V', 'unknown option -V; did you mean --version?'],
])('wirebin %s', async (line, message) => {
  expect(await refusal(line)).toBe(message);
});

test.each([
  ['localhost:8080', either('localhost:8080')],
  ['localhost', either('localhost')],
  ['8080', either('localhost:8080')],
  [':8080', either('localhost:8080')],
  ['//a.example/', either('a.example')],
  ['a.example/path?query', either('a.example')],
  ['[::1]:8080', either('[::1]:8080')],
  ['::1', either('[::1]')],
  ['htps://a', 'did you mean https://a?'],
  ['ftp://a', 'did you mean http://a?'],
  ['ws://a', either('a')],
])('check and bench take no target without http or https: %s', async (target, hint) => {
  const message = `${target} is no http or https URL; ${hint}`;
  expect(await refusal(`check ${target}`)).toBe(message);
  expect(await refusal(`bench ${target}`)).toBe(message);
  expect(await refusal(`bench a=${target} b=http://b`)).toBe(message);
  expect(await refusal(`check http://127.0.0.1 --origin ${target}`)).toBe(`--origin ${message}`);
});

// The URL parser reads the numbers as other addresses: 1.5 as 1.0.0.5.
test.each(['http://', 'http://a:99999', 'https://a b', '1.5', '10.1:80', '0x7f.1', 'user@a'])(
  '%s is no URL of any scheme',
  async (text) => {
    const args = ['check', text];
    expect(readInvocation(args, {})).toEqual({ command: 'check', args: [text] });
    await expect(runCheck([text], streams())).rejects.toThrow(/ is no http or https URL$/);
  },
);

test.each([
  ['check http://a/b?c', 'only a path may follow the port; did you mean http://a/b?'],
  ['check explian hop/te', 'explian is no http or https URL; did you mean explain?'],
  ['check sohw a.json', 'did you mean show?'],
  ['check list', 'did you mean --list?'],
  ['check help', 'did you mean --help?'],
  ['check report.json', 'did you mean wirebin check show report.json?'],
  ['check a&b.json', "did you mean wirebin check show 'a&b.json'?"],
  ['bench report.json', 'did you mean wirebin bench show report.json?'],
  ['check http://a http://b', 'unexpected argument http://b; did you mean --origin http://b?'],
  ['check --hlep', 'unknown option --hlep; did you mean --help?'],
  ['check http://a -report json=a', 'unknown option -report; did you mean --report?'],
  ['check http://a -no-trace', 'unknown option -no-trace; did you mean --no-trace?'],
  ['bench http://a -duration=1s', 'unknown option -duration; did you mean --duration?'],
  ['bench shwo a.json', 'unexpected argument a.json; did you mean wirebin bench show a.json?'],
  ['bench a.json b.json', 'did you mean wirebin bench show a.json b.json?'],
  [
    'bench https://a http://b/',
    'unexpected argument http://b/; did you mean A=https://a B=http://b?',
  ],
  ['bench lb:443 10.0.0.1:8080', 'did you mean A=URL B=URL, each with http:// or https://?'],
  ['bench https://a localhost:1', 'did you mean A=URL B=URL, each with http:// or https://?'],
])('wirebin %s', async (line, message) => {
  expect(await refusal(line)).toContain(message);
});

test.each(['http://a b.json', 'a 1.5', 'http://a http://'])(
  'wirebin bench %s has no line that is meant',
  async (words) => {
    const [, other = ''] = words.split(' ');
    expect(await refusal(`bench ${words}`)).toBe(`unexpected argument ${other}`);
  },
);

const healthTakes =
  'wirebin health checks the service that runs here; it takes `live`, or flags of that service';

test.each([
  ['9000', '9000; did you mean wirebin health --port 9000?'],
  [':9000', ':9000; did you mean wirebin health --port 9000?'],
  ['localhost:9000', 'localhost:9000; did you mean wirebin health --port 9000?'],
  ['https://localhost:9000/', 'https://localhost:9000/; did you mean wirebin health --port 9000?'],
  ['live 9000', '9000; did you mean wirebin health live --port 9000?'],
  ['9000 live', '9000; did you mean wirebin health live --port 9000?'],
  ['9000 --tap', '9000; did you mean wirebin health --tap --port 9000?'],
  ['liev', 'liev; did you mean wirebin health live?'],
  ['lb.example', `lb.example; ${healthTakes}`],
  ['http://10.0.0.5:9000', `http://10.0.0.5:9000; ${healthTakes}`],
])('wirebin health %s', async (line, message) => {
  expect(await healthRefusal(line.split(' '))).toBe(`unexpected argument ${message}`);
});

test('wirebin health suggests a line with the name of the program', async () => {
  const argv = ['node', 'dist/main.js'];
  expect(await healthRefusal(['9000'], argv)).toContain('node dist/main.js health --port 9000?');
  expect(await healthRefusal(['liev'], argv)).toContain('node dist/main.js health live?');
});

async function healthRefusal(args: readonly string[], argv: readonly string[] = []) {
  let output = '';
  const sink = { write: (text: string) => (output += text) };
  expect(await health(args, { argv, env: {}, stdout: sink, stderr: sink })).toBe(1);
  return output.replace(/^wirebin: |\n$/g, '');
}
