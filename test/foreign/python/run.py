"""Runs the tests of a file and prints a line of JSON for each: its name, outcome and reason."""

import importlib.util
import json
import sys
import unittest


class Told(unittest.TestResult):
    def tell(self, test, outcome, reason=''):
        name = test.id().rsplit('.', 1)[-1]
        print(json.dumps({'name': name, 'outcome': outcome, 'reason': reason}), flush=True)

    def addSuccess(self, test):
        self.tell(test, 'passed')

    def addFailure(self, test, err):
        self.tell(test, 'failed', str(err[1])[:500])

    def addError(self, test, err):
        self.tell(test, 'failed', f'{type(err[1]).__name__}: {err[1]}'[:500])

    def addSubTest(self, test, subtest, err):
        if err is not None:
            self.tell(test, 'failed', f'{subtest}: {err[1]}'[:500])

    def addSkip(self, test, reason):
        self.tell(test, 'skipped', reason)


spec = importlib.util.spec_from_file_location('foreign', sys.argv[1])
module = importlib.util.module_from_spec(spec)
spec.loader.exec_module(module)
unittest.defaultTestLoader.loadTestsFromModule(module).run(Told())
