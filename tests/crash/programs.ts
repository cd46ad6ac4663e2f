import { bundle, type Edit } from '../promises/bundle.ts';

/** The programs that the crash test runs as processes. */
export type Programs = {
  readonly platform: string;
  readonly resources: string;
  readonly model: string;
  /** Removes the files. */
  remove(): void;
};

/** Bundles them from their source as it is now, or broken on purpose. */
export async function bundlePrograms(edits: readonly Edit[] = []): Promise<Programs> {
  const sources = {
    platform: 'tests/crash/fixtures/platform.ts',
    resources: 'mcp-servers/resources/src/main.ts',
    model: 'tests/promises/fixtures/node-model.ts',
  };
  const { programs, remove } = await bundle(sources, edits);
  return { ...programs, remove };
}
