import { rmSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config';
import { type Kind, kinds } from './tests/kinds.ts';
import { filesOfKindIn, isIsolated, sameOverServices, tierOf } from './tests/tiers.ts';

const tier = tierOf(process.env);

const isOverServices = process.env.STOPGO_E2E_TOPOLOGY === 'services';

/**
 * Many tests wait for other processes, and of two cores vitest would use one. The slow tests judge by time more often than
 * others, so that no more of them run at once than there are cores; nor do platforms of separate processes.
 */
const maxWorkers = availableParallelism() + (isOverServices || tier === 'slow' ? 0 : 1);

/**
 * Longest time of a test, in milliseconds: for a slow machine, since most take less than a second. A platform of separate
 * processes has seven or more, which take time to start.
 */
const testMs = isOverServices ? 120_000 : 60_000;

/** The same of a test in a browser, in milliseconds. */
const webMs = 240_000;

/**
 * Where the projects keep the sources as vitest has read them. Each would read all of them by itself otherwise, and take twice the
 * processor time for it. It is for one run only: a later one would not see that the exports of a package have changed. Each
 * project loads this file anew, and must come to the same name.
 */
const readSources = join(import.meta.dirname, '.cache', `vitest-${process.pid}-${Math.round(performance.timeOrigin)}`);
process.on('exit', () => rmSync(readSources, { recursive: true, force: true }));

function project(kind: Kind): TestProjectInlineConfiguration {
  const files = filesOfKindIn(tier, kind);
  const include = [...files.include];
  const exclude = ['**/node_modules/**', '**/dist/**', ...files.exclude, ...(isOverServices ? sameOverServices : [])];
  const test = { name: kind, include, exclude, isolate: isIsolated(tier, kind) };
  switch (kind) {
    case 'unit':
      return { extends: true, test: { ...test, setupFiles: ['tests/unit-guard.ts'] } };
    case 'e2e':
      return { extends: true, test: { ...test, setupFiles: ['tests/e2e/described-setup.ts'] } };
    case 'chaos':
      // They judge what several processes do by time: one after the other, with nothing beside them.
      return { extends: true, test: { ...test, fileParallelism: false } };
    case 'web':
      // A browser and a platform each: one file after the other.
      return { extends: true, test: { ...test, fileParallelism: false, testTimeout: webMs, hookTimeout: webMs } };
    default:
      return { extends: true, test };
  }
}

// Packages export their TypeScript under the condition `stopgo-source`, so that a test never waits for a build.
export default defineConfig({
  resolve: { conditions: ['stopgo-source'] },
  ssr: { resolve: { conditions: ['stopgo-source'] } },
  test: {
    pool: 'forks',
    maxWorkers,
    testTimeout: testMs,
    hookTimeout: testMs,
    // What is waited for comes; how soon is up to the machine.
    expect: { poll: { timeout: testMs / 2 } },
    experimental: { fsModuleCache: true, fsModuleCachePath: readSources },
    projects: kinds.map(project),
  },
});
