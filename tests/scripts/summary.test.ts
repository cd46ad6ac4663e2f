import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, test } from 'vitest';

const script = fileURLToPath(new URL('../../scripts/summary.mjs', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'stopgo-summary-'));
afterAll(() => rmSync(folder, { recursive: true }));

const report = (passed: number, failed: number, skipped: number, testResults: object[] = []) => ({
  numPassedTests: passed,
  numFailedTests: failed,
  numPendingTests: skipped,
  numTodoTests: 0,
  testResults,
});
const counts = (passed: number, failed: number, skipped: number) => ({ passed, failed, skipped });
const unloadable = { status: 'failed', assertionResults: [] };

test.each<[string, number, object | undefined, number, object | undefined, string, number]>([
  ['all is well', 0, report(10, 0, 1), 0, counts(7, 0, 2), '17 passed, 0 failed, 3 skipped', 0],
  ['a test failed', 1, report(9, 1, 0), 0, counts(7, 0, 0), '16 passed, 1 failed, 0 skipped', 1],
  ['a check failed', 0, report(10, 0, 0), 1, counts(6, 1, 0), '16 passed, 1 failed, 0 skipped', 1],
  [
    'a test failed and a test file could not be loaded',
    1,
    report(10, 1, 0, [unloadable]),
    0,
    counts(7, 0, 0),
    '17 passed, 2 failed, 0 skipped',
    1,
  ],
  ['the tests left no report', 1, undefined, 0, counts(7, 0, 0), '7 passed, 1 failed, 0 skipped', 1],
  [
    'the tests ended badly with a good report',
    1,
    report(10, 0, 0),
    0,
    counts(7, 0, 0),
    '17 passed, 1 failed, 0 skipped',
    1,
  ],
  ['the tests ended well and left no report', 0, undefined, 0, counts(7, 0, 0), '7 passed, 1 failed, 0 skipped', 1],
  ['the checks ended well and left no counts', 0, report(10, 0, 0), 0, undefined, '10 passed, 1 failed, 0 skipped', 1],
  ['nothing worked at all', 1, undefined, 1, undefined, '0 passed, 2 failed, 0 skipped', 1],
])('when %s', (_, testsCode, tests, checksCode, checks, line, exitCode) => {
  const [testsFile, checksFile] = [join(folder, 'tests.json'), join(folder, 'checks.json')];
  writeFileSync(testsFile, tests === undefined ? '' : JSON.stringify(tests));
  writeFileSync(checksFile, checks === undefined ? '' : JSON.stringify(checks));
  const args = [script, String(testsCode), testsFile, String(checksCode), checksFile];
  const { stdout, status } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  expect(stdout.split('\n').slice(-2)).toEqual([line, '']);
  expect(status).toBe(exitCode);
});

test('what failed is named before the last line, with the first lines of why', () => {
  const [testsFile, checksFile] = [join(folder, 'named.json'), join(folder, 'sound.json')];
  writeFileSync(checksFile, JSON.stringify(counts(0, 0, 0)));
  const failed = { status: 'failed', fullName: 'it holds', failureMessages: ['Error: it does not\n    at somewhere'] };
  const testResults = [
    { name: 'a.test.ts', status: 'failed', assertionResults: [{ status: 'passed', fullName: 'it is' }, failed] },
    { name: 'b.test.ts', status: 'failed', message: 'Cannot find c.ts', assertionResults: [] },
  ];
  writeFileSync(testsFile, JSON.stringify(report(1, 1, 0, testResults)));
  const { stdout } = spawnSync(process.execPath, [script, '1', testsFile, '0', checksFile], { encoding: 'utf8' });
  expect(stdout).toBe(
    'failed: a.test.ts > it holds: Error: it does not\n    at somewhere\nfailed: b.test.ts: Cannot find c.ts\n1 passed, 2 failed, 0 skipped\n',
  );
});

test('tests that ran among the checks are added, and named where they failed', () => {
  const [testsFile, checksFile, slowFile] = ['quick.json', 'counts.json', 'slow.json'].map((name) =>
    join(folder, name),
  );
  const failed = { status: 'failed', fullName: 'it lasts', failureMessages: ['Error: it does not'] };
  writeFileSync(testsFile!, JSON.stringify(report(10, 0, 1)));
  writeFileSync(checksFile!, JSON.stringify(counts(6, 1, 0)));
  const slow = report(3, 1, 0, [{ name: 's.test.ts', status: 'failed', assertionResults: [failed] }]);
  writeFileSync(slowFile!, JSON.stringify(slow));
  const args = [script, '0', testsFile!, '1', checksFile!, slowFile!];
  const { stdout, status } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  expect(stdout).toBe('failed: s.test.ts > it lasts: Error: it does not\n19 passed, 2 failed, 1 skipped\n');
  expect(status).toBe(1);
});

test('tests among the checks that left no report are a failure', () => {
  const [testsFile, checksFile] = [join(folder, 'quick.json'), join(folder, 'counts.json')];
  writeFileSync(testsFile, JSON.stringify(report(10, 0, 0)));
  writeFileSync(checksFile, JSON.stringify(counts(7, 0, 0)));
  const args = [script, '0', testsFile, '0', checksFile, join(folder, 'no-such.json')];
  const { stdout, status } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  expect(stdout).toBe('17 passed, 1 failed, 0 skipped\n');
  expect(status).toBe(1);
});
