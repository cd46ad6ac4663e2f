import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';

/** The programs that the crash test runs as processes, each in one file of plain JavaScript. */
export type Programs = {
  readonly platform: string;
  readonly resources: string;
  readonly model: string;
  /** Removes the files. */
  remove(): void;
};

const repository = fileURLToPath(new URL('../..', import.meta.url));

/**
 * Bundles the programs from their source as it is now. They are started several hundred times: loading each from its
 * source would take three times as long. The files lie in the repository so that they find its dependencies.
 */
export async function bundlePrograms(): Promise<Programs> {
  const cache = join(repository, '.cache');
  mkdirSync(cache, { recursive: true });
  const folder = mkdtempSync(join(cache, 'crash-'));
  const source = (path: string): string => join(repository, path);
  await build({
    configFile: false,
    root: repository,
    logLevel: 'error',
    ssr: { noExternal: [/^@stopgo\//], resolve: { conditions: ['stopgo-source'] } },
    build: {
      ssr: true,
      outDir: folder,
      minify: false,
      target: 'node20',
      rolldownOptions: {
        input: {
          platform: source('tests/crash/fixtures/platform.ts'),
          resources: source('mcp-servers/resources/src/main.ts'),
          model: source('offline-model/src/main.ts'),
        },
        output: { entryFileNames: '[name].mjs', chunkFileNames: '[name]-[hash].mjs' },
      },
    },
  });
  const file = (name: string): string => join(folder, `${name}.mjs`);
  return {
    platform: file('platform'),
    resources: file('resources'),
    model: file('model'),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
