import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, type Plugin } from 'vite';

/** The root of the repository. */
export const repository = fileURLToPath(new URL('../..', import.meta.url));

/** Programs that a test runs as processes, each in one file of plain JavaScript, by name. */
export type Bundle<Name extends string> = {
  readonly programs: Readonly<Record<Name, string>>;
  /** Removes the files. */
  remove(): void;
};

/** A change of one source file (relative to the repository) that breaks what the programs do. */
export type Edit = { readonly file: string; readonly from: string; readonly to: string };

/**
 * Bundles programs from their source as it is now; the sources are relative to the repository. They are started several
 * hundred times: loading each from its source would take three times as long. The files lie in the repository so that
 * they find its dependencies.
 */
export async function bundle<Name extends string>(
  sources: Readonly<Record<Name, string>>,
  edits: readonly Edit[] = [],
): Promise<Bundle<Name>> {
  const cache = join(repository, '.cache');
  mkdirSync(cache, { recursive: true });
  const folder = mkdtempSync(join(cache, 'programs-'));
  const mapped = (file: (name: string, source: string) => string): Record<Name, string> =>
    Object.fromEntries(Object.entries<string>(sources).map(([name, source]) => [name, file(name, source)])) as Record<
      Name,
      string
    >;
  await build({
    configFile: false,
    root: repository,
    logLevel: 'error',
    plugins: edits.length === 0 ? [] : [broken(edits)],
    ssr: { noExternal: [/^@stopgo\//], resolve: { conditions: ['stopgo-source'] } },
    build: {
      ssr: true,
      outDir: folder,
      minify: false,
      target: 'node20',
      rolldownOptions: {
        input: mapped((_, source) => join(repository, source)),
        output: { entryFileNames: '[name].mjs', chunkFileNames: '[name]-[hash].mjs' },
      },
    },
  });
  return {
    programs: mapped((name) => join(folder, `${name}.mjs`)),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** Applies the edits; fails if one of them no longer fits its file, or its file is in no program. */
function broken(edits: readonly Edit[]): Plugin {
  const left = new Set(edits);
  return {
    name: 'broken-on-purpose',
    enforce: 'pre',
    transform: (code, id) => {
      const some = edits.filter(({ file }) => id === join(repository, file));
      return some.reduce((text, edit) => {
        if (!text.includes(edit.from)) throw new Error(`${edit.file} has no "${edit.from}" to break`);
        left.delete(edit);
        return text.replace(edit.from, edit.to);
      }, code);
    },
    buildEnd: (error) => {
      if (error !== undefined) return;
      for (const { file } of left) throw new Error(`${file} is part of no program`);
    },
  };
}
