import { join } from 'node:path';
import type { WrittenServer } from './acknowledged.ts';
import type { MountedImage } from './mounted-image.ts';
import type { Rack } from './rack.ts';
import type { StoreProcess } from './store-process.ts';
import type { Undo } from './undo.ts';

/** What every setting is tried with. */
export type Bench = {
  readonly rack: Rack;
  /** For what is not on a disk of it. */
  readonly folder: string;
  readonly modelUrl: string;
  readonly undo: Undo;
};

/** A log, set in one way, and what is started on it. */
export type Setting = {
  readonly log: 'embedded' | 'JetStream';
  readonly name: string;
  /** True: it must lose nothing. False: it must lose something, or the test could not see a loss. */
  readonly isSafe: boolean;
  /** It is many processes, which take long to start. */
  readonly isSlow?: true;
  /** The file on the disk that changes of the views are written to. */
  readonly viewsFile: string;
  /** Starts what writes to the disk. */
  start(disk: MountedImage): Promise<WrittenServer>;
  /** Starts a store on what a cut left, which appends nothing by itself, so that one can look. */
  reopen(disk: MountedImage): Promise<StoreProcess>;
  /** Shows that all that wrote comes up again on what a cut left, where that is more than the store. */
  restart?(disk: MountedImage): Promise<void>;
};

/** Where everything lies on a disk. */
export const dataDirOf = (disk: MountedImage): string => join(disk.folder, 'data');
