import type { MutantName } from './mutants.ts';
import type { NatsLog } from './nats-log.ts';
import type { PointCounts } from './points.ts';

/** Where the platform finds and leaves things. */
export type PlatformSettings = {
  readonly configFile: string;
  readonly logFile: string;
  readonly offlineModel: string;
  readonly mutant?: MutantName;
  /** Absent: the embedded log. */
  readonly natsLog?: NatsLog;
};

/** What the harness tells the platform's process. `crashAt` is `<point>:<nth>`. */
export type ToPlatform =
  | { readonly type: 'start'; readonly settings: PlatformSettings; readonly crashAt?: string }
  | { readonly type: 'arm'; readonly crashAt?: string }
  | { readonly type: 'count' }
  | { readonly type: 'stop' };

/** What the platform's process tells the harness. */
export type FromPlatform =
  /** Its code is loaded; nothing is started. */
  | { readonly type: 'loaded' }
  | { readonly type: 'ready'; readonly address: string }
  | { readonly type: 'failed'; readonly message: string }
  | { readonly type: 'armed' }
  | { readonly type: 'counted'; readonly counts: PointCounts }
  | { readonly type: 'stopped' };
