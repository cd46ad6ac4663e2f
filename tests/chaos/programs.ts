import { type Bundle, bundle } from '../promises/bundle.ts';

export type ProgramName = 'stopgo' | 'resources' | 'model';

/** The programs that run as processes, from their source as it is now. */
export function bundlePrograms(): Promise<Bundle<ProgramName>> {
  return bundle<ProgramName>({
    stopgo: 'cli/src/main.ts',
    resources: 'mcp-servers/resources/src/main.ts',
    model: 'offline-model/src/main.ts',
  });
}
