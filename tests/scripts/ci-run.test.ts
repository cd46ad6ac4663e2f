import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';

// `.ci/run` in a folder with nothing else but the summary, and with an npm that only writes down how it was called.

const repository = fileURLToPath(new URL('../..', import.meta.url));
const NPM = `#!/usr/bin/env bash
has() { command -v nats-server >/dev/null && echo nats || echo no-nats; }
echo "$1 $2 CI=\${CI:-} $(has) \${STOPGO_NATS_SERVER:-none}" >> "$CALLS"
for arg in "$@"; do
  case $arg in --outputFile.json=*) echo "$REPORT" > "\${arg#*=}" ;; esac
done
while [ $# -gt 0 ]; do
  case $1 in
    --counts) echo '{"passed":1,"failed":0,"skipped":0}' > "$2" ;;
    --slow-report) [ -n "$SLOW" ] && echo "$REPORT" > "$2" ;;
  esac
  shift
done
exit 0
`;
const REPORT = JSON.stringify({
  numPassedTests: 2,
  numFailedTests: 0,
  numPendingTests: 0,
  numTodoTests: 0,
  testResults: [],
});

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'stopgo-ci-'));
  for (const file of ['.ci/run', 'scripts/summary.mjs']) cpSync(join(repository, file), join(folder, file));
  mkdirSync(join(folder, 'programs'));
  for (const [name, text] of [
    ['npm', NPM],
    ['nats-server', '#!/bin/sh\n'],
  ] as const) {
    writeFileSync(join(folder, 'programs', name), text);
    chmodSync(join(folder, 'programs', name), 0o755);
  }
  symlinkSync(process.execPath, join(folder, 'programs', 'node'));
});

afterEach(() => rmSync(folder, { recursive: true }));

function run(env: Readonly<Record<string, string>>) {
  const { stdout, status } = spawnSync('bash', [join(folder, '.ci', 'run')], {
    encoding: 'utf8',
    env: {
      PATH: `${join(folder, 'programs')}:/usr/bin:/bin`,
      STOPGO_SERVICES_NODE: process.execPath,
      STOPGO_OTHER_NODE: process.execPath,
      STOPGO_NATS_SERVER: '/opt/nats-server',
      CALLS: join(folder, 'calls'),
      REPORT,
      ...env,
    },
  });
  return { last: stdout.trimEnd().split('\n').at(-1), status };
}

test('the quick tests see no nats-server; to the rest, what cannot be started is a failure', () => {
  expect(run({ SLOW: 'yes' })).toEqual({ last: '5 passed, 0 failed, 0 skipped', status: 0 });
  expect(readFileSync(join(folder, 'calls'), 'utf8').trimEnd().split('\n')).toEqual([
    'test -- CI= no-nats none',
    'run --silent CI=true nats /opt/nats-server',
  ]);
});

test('slow tests that left no report are a failure, whatever npm says', () => {
  expect(run({ SLOW: '' })).toEqual({ last: '3 passed, 1 failed, 0 skipped', status: 1 });
});
