import { spawnSync } from 'node:child_process';
import { copyFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';

const FOLDER = 'docs/recipes/testcontainers/';
/** Jars of Testcontainers and JUnit. */
const CLASSPATH = process.env['WIREBIN_TESTCONTAINERS_CLASSPATH'] ?? '';
/** A folder where the npm packages testcontainers and @types/node are installed. */
const PACKAGES = process.env['WIREBIN_TESTCONTAINERS_PACKAGES'] ?? '';

const PARSED = [
  [
    'Python',
    'python3',
    ['-c', 'import ast, sys; ast.parse(open(sys.argv[1]).read())'],
    'test_wirebin.py',
  ],
  ['Go', 'gofmt', ['-l', '-e'], 'wirebin_test.go'],
] as const;

test.for(PARSED)('the example for %s is valid: %s', ([, program, args, file], { skip }) => {
  const { error, stdout, stderr, status } = spawnSync(program, [...args, FOLDER + file], {
    encoding: 'utf8',
  });
  if (error) skip(`${program} is not installed`);
  expect({ status, stdout, stderr }).toEqual({ status: 0, stdout: '', stderr: '' });
});

test.skipIf(CLASSPATH === '')('the example for Java compiles', () => {
  const args = ['-Xlint:all', '-cp', CLASSPATH, '-d', tmpdir(), `${FOLDER}WirebinTest.java`];
  const { status, stderr } = spawnSync('javac', args, { encoding: 'utf8' });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
});

test.skipIf(PACKAGES === '')('the example for Node fits the types of its packages', () => {
  const file = 'wirebin.test.mjs';
  copyFileSync(FOLDER + file, join(PACKAGES, file));
  onTestFinished(() => rmSync(join(PACKAGES, file)));
  const flags = ['--noEmit', '--allowJs', '--checkJs', '--noImplicitAny', 'false'];
  const options = ['--module', 'nodenext', '--target', 'es2022', '--types', 'node'];
  const args = [
    resolve('node_modules/typescript/bin/tsc'),
    ...flags,
    ...options,
    '--skipLibCheck',
    file,
  ];
  const { status, stdout } = spawnSync(process.execPath, args, { cwd: PACKAGES, encoding: 'utf8' });
  expect({ status, stdout }).toEqual({ status: 0, stdout: '' });
});
