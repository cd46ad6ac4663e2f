import { availableParallelism } from 'node:os';
import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config';
import { type Files, filesOf, sameOverServices, tierOf } from './tests/tiers.ts';

const tier = tierOf(process.env);
const { shared, isolated, alone } = filesOf(tier);

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

type TestOptions = NonNullable<Extract<TestProjectInlineConfiguration, { test?: unknown }>['test']>;

function project(name: string, files: Files | undefined, options: TestOptions = {}): TestProjectInlineConfiguration[] {
  if (files === undefined) return [];
  const include = [...files.include];
  const exclude = ['**/node_modules/**', '**/dist/**', ...files.exclude, ...(isOverServices ? sameOverServices : [])];
  return [{ extends: true, test: { name, include, exclude, ...options } }];
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
    projects: [
      ...project('shared', shared, { isolate: false }),
      ...project('isolated', isolated),
      ...project('alone', alone, { fileParallelism: false }),
    ],
  },
});
