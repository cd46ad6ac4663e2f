// `npm run conformance -- --kit DIR`: runs a checkout of the public conformance kit against the conformance agent. Ends with 0
// only if every test that failed is one of the known faults of the kit.
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { type Outcome, outcomesIn } from './junit.ts';
import { type KitRun, runsOf, versionOf } from './kit-runs.ts';
import { isOf, KNOWN_FAULTS, type KnownFault } from './known-faults.ts';
import { startOverLibrary } from './over-library.ts';
import { startOverServices } from './over-services.ts';
import { settingsFrom } from './settings.ts';

const USAGE = `usage: npm run conformance -- --kit DIR [--python PROGRAM] [--over services|library] [--variant NAME]...
DIR: a checkout of the kit; PROGRAM: a Python that has what the kit needs (default: python3)`;

const WORDS = { passed: 'passed', failed: 'failed', short: 'fell short', skipped: 'skipped' } as const;

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  console.error(`${error instanceof Error ? error.message : String(error)}\n${USAGE}`);
  process.exitCode = 1;
}

async function main(args: readonly string[]): Promise<number> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      kit: { type: 'string' },
      python: { type: 'string', default: 'python3' },
      over: { type: 'string', default: 'services' },
      variant: { type: 'string', multiple: true, default: [] },
    },
  });
  if (values.kit === undefined) throw new Error('--kit is missing');
  const kit = resolve(values.kit);
  const version = versionOf(kit);
  const variants = values.variant.flatMap((name) => ['--variant', name]);
  const settings = settingsFrom(['--over', values.over, '--port', '0', ...variants]);
  const agent = await (settings.over === 'services' ? startOverServices : startOverLibrary)(settings);
  console.log(`version ${version} over ${settings.over}${values.variant.map((name) => `, ${name}`).join('')}`);
  let unexpected = 0;
  try {
    for (const run of runsOf(version, agent.address, settings.requiredExtension)) {
      const outcomes = await played(kit, values.python, run);
      unexpected += report(run, outcomes, KNOWN_FAULTS[version]);
    }
  } finally {
    await agent.stop();
  }
  console.log(unexpected === 0 ? 'nothing failed but what the kit is at fault for' : `${unexpected} failed`);
  return unexpected === 0 ? 0 : 1;
}

/** @throws Error if pytest could not run the tests at all. */
async function played(kit: string, python: string, { title, transport, args }: KitRun): Promise<readonly Outcome[]> {
  const folder = mkdtempSync(join(tmpdir(), 'stopgo-kit-'));
  const report = join(folder, 'report.xml');
  try {
    const pytest = ['-m', 'pytest', ...args, '-q', '--tb=no', '-p', 'no:cacheprovider', `--junitxml=${report}`];
    const child = spawn(python, pytest, {
      cwd: kit,
      env: { ...process.env, PYTHONDONTWRITEBYTECODE: '1' },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let printed = '';
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (data: Buffer) => (printed += data.toString()));
    const code = await new Promise<number | null>((done, failed) => child.once('error', failed).once('close', done));
    // 0: all passed, 1: some failed; with anything else the tests were not run.
    if (code !== 0 && code !== 1) throw new Error(`${title} (${transport}) could not be run:\n${printed}`);
    return outcomesIn(readFileSync(report, 'utf8'));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Prints what became of the tests; gives how many failed or fell short that no fault of the kit explains. */
function report({ title, transport }: KitRun, outcomes: readonly Outcome[], faults: readonly KnownFault[]): number {
  const count = (kind: Outcome['kind']): string =>
    `${outcomes.filter((outcome) => outcome.kind === kind).length} ${WORDS[kind]}`;
  const counts = (['passed', 'failed', 'short', 'skipped'] as const).map(count).join(', ');
  console.log(`${title} (${transport}): ${counts}`);
  let unexpected = 0;
  for (const { test, kind, said } of outcomes) {
    if (kind !== 'failed' && kind !== 'short') continue;
    const fault = faults.find((known) => isOf(known, test) && (known.transport ?? transport) === transport);
    if (fault === undefined) unexpected += 1;
    console.log(
      fault === undefined ? `  FAILED ${test}\n    ${said}` : `  fault of the kit: ${test}\n    ${fault.reason}`,
    );
  }
  for (const [reason, tests] of skippedByReason(outcomes)) console.log(`  skipped: ${tests.join(', ')}\n    ${reason}`);
  return unexpected;
}

/** The tests that were skipped, over whichever transport, by the reason that the kit gives. */
function skippedByReason(outcomes: readonly Outcome[]): ReadonlyMap<string, readonly string[]> {
  const byReason = new Map<string, string[]>();
  for (const { test, kind, said } of outcomes) {
    if (kind !== 'skipped') continue;
    const tests = byReason.get(said) ?? [];
    const name = test.replace(/^.*::/, '').replace(/\[(?:grpc|jsonrpc|http_json)\]$/, '');
    const short = name.replace(/-(?:grpc|jsonrpc|http_json)\]$/, ']');
    if (!tests.includes(short)) tests.push(short);
    byReason.set(said, tests);
  }
  return byReason;
}
