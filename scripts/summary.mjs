// The last line of a CI run: sums the tests' JSON report and the counts of the other checks. Arguments: exit code of the tests,
// their report, exit code of the checks, their counts, and reports of tests that ran among the checks. Exits with 1 on any
// failure.
import { readFileSync } from 'node:fs';

const [testsCode, testsReport, checksCode, checksCounts, ...furtherReports] = process.argv.slice(2);

const reports = [testsReport, ...furtherReports].map(readJson);
for (const line of reports.flatMap(failures)) console.log(line);
const [tests, ...further] = reports.map(fromTests);
const totals = [tests, fromChecks(readJson(checksCounts)), ...further];
atLeastOneFailure(totals[0], testsCode);
atLeastOneFailure(totals[1], checksCode);
const sum = (kind) => totals.reduce((total, counts) => total + counts[kind], 0);
process.exitCode = sum('failed') === 0 ? 0 : 1;
console.log(`${sum('passed')} passed, ${sum('failed')} failed, ${sum('skipped')} skipped`);

/** The failed tests, each with the first lines of why: whoever sees only the end of a log is to know them. */
function failures(report) {
  return (report?.testResults ?? []).flatMap(({ name, status, message, assertionResults }) => {
    const failed = assertionResults.filter((test) => test.status === 'failed');
    if (status === 'failed' && failed.length === 0) return [`failed: ${name}: ${beginOf(message)}`];
    return failed.map((test) => `failed: ${name} > ${test.fullName}: ${beginOf(test.failureMessages.join('\n'))}`);
  });
}

/** The first lines of a text. */
function beginOf(text) {
  return (text ?? '').split('\n').slice(0, 8).join('\n').slice(0, 1_500);
}

/** Tests without a report are a failure, whatever their exit code. A test file that could not be loaded holds no failed test, and is one. */
function fromTests(report) {
  if (report === undefined) return { passed: 0, failed: 1, skipped: 0 };
  const broken = report.testResults.filter(
    ({ status, assertionResults }) => status === 'failed' && assertionResults.every((test) => test.status !== 'failed'),
  );
  return {
    passed: report.numPassedTests,
    failed: report.numFailedTests + broken.length,
    skipped: report.numPendingTests + report.numTodoTests,
  };
}

function fromChecks(counts) {
  return counts ?? { passed: 0, failed: 1, skipped: 0 };
}

/** A run that ended badly counts as a failure even if it left no report, or one that looks good. */
function atLeastOneFailure(counts, code) {
  if (code !== '0') counts.failed = Math.max(1, counts.failed);
}

function readJson(path) {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    return undefined;
  }
}
