import { cpus, loadavg, release, totalmem } from 'node:os';

/** The machine, without anything that names it. */
export type Machine = {
  readonly cores: number;
  readonly processor: string;
  readonly memoryGb: number;
  readonly system: string;
  readonly node: string;
  /** Processes that wanted a core, on average over the last minute, before the bench began. */
  readonly load: number;
};

export function describeMachine(): Machine {
  const [first] = cpus();
  return {
    cores: cpus().length,
    processor: first?.model.trim() ?? '',
    memoryGb: Math.round(totalmem() / 1e9),
    system: `${process.platform} ${release()}`,
    node: process.version,
    load: loadavg()[0] ?? 0,
  };
}
