import { startBare, startPlatform, stdioTool } from './platform.ts';
import type { RowName } from './rows.ts';
import { launchServices } from './services/platform.ts';
import type { Subject } from './subject.ts';

/** How a subject is started: `nodeOptions` go to Node before the program, `more` is added to the configuration. */
export type RowOptions = { readonly nodeOptions: readonly string[]; readonly more?: object };

/** Starts what the row measures, fresh. */
export function startRow(row: RowName, modelAddress: string, { nodeOptions, more = {} }: RowOptions): Promise<Subject> {
  switch (row) {
    case 'bare':
      return startBare(modelAddress, nodeOptions, more);
    case 'process':
      return startPlatform(modelAddress, nodeOptions, stdioTool(), more);
    case 'process-50':
      return startPlatform(modelAddress, nodeOptions, { ...stdioTool(), concurrency: 50 }, more);
    case 'services':
      return launchServices(modelAddress, { orchestrators: 1, stores: 1 }, stdioTool(), more, nodeOptions);
  }
}
