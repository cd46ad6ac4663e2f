/** True in tests that a script of the repository runs: it has built everything before. */
const isBuilt = process.env.STOPGO_TESTS !== undefined;

/**
 * What Node is given to run a program of ours: what was built of it, which starts in a third of the time, or else its source, so that
 * `npx vitest run FILE` never waits for a build.
 *
 * @param source a file below a folder `src`, or one of JavaScript that imports our packages by their names
 */
export function nodeArguments(source: string): readonly string[] {
  if (!isBuilt) return ['--import', 'tsx', '--conditions=stopgo-source', source];
  if (source.endsWith('cli/src/main.ts')) return [source.replace(/src\/main\.ts$/, 'dist/program/main.js')];
  return [source.replace(/\/src\/(.*)\.ts$/, '/dist/$1.js')];
}
