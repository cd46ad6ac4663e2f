import { bundle } from '../promises/bundle.ts';

/** The programs that the crash test runs as processes. */
export type Programs = {
  readonly platform: string;
  readonly resources: string;
  readonly model: string;
  /** Removes the files. */
  remove(): void;
};

/** Bundles them from their source as it is now. */
export async function bundlePrograms(): Promise<Programs> {
  const { programs, remove } = await bundle({
    platform: 'tests/crash/fixtures/platform.ts',
    resources: 'mcp-servers/resources/src/main.ts',
    model: 'offline-model/src/main.ts',
  });
  return { ...programs, remove };
}
