import { type Bundle, bundle, type Edit } from '../promises/bundle.ts';

export type ProgramName = 'stopgo' | 'resources' | 'model';

/** The programs that run as processes, from their source as it is now, or broken on purpose. */
export function bundlePrograms(edits: readonly Edit[] = []): Promise<Bundle<ProgramName>> {
  const sources = {
    stopgo: 'cli/src/main.ts',
    resources: 'mcp-servers/resources/src/main.ts',
    model: 'tests/promises/fixtures/node-model.ts',
  };
  return bundle<ProgramName>(sources, edits);
}
