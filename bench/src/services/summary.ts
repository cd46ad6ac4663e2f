import { median, medians } from '../quantiles.ts';
import type { TurnTimes } from '../turns-at-once.ts';
import type { CpuOfService, Round, ServicesFigures, SpentByOthers } from './measure.ts';
import type { Shape } from './platform.ts';

/** Turns of one shape: medians over its rounds. */
export type MeasuredTurns = {
  readonly times: TurnTimes & SpentByOthers;
  readonly cpu: readonly CpuOfService[];
  /** CPU of a turn against that of the one process of the same round. */
  readonly cpuRatio: number;
};

/** One shape over all its rounds. */
export type Measured = {
  readonly shape: Shape;
  readonly rounds: number;
  readonly turns: readonly MeasuredTurns[];
  /** Its first round, for what is looked at once. */
  readonly first: ServicesFigures;
};

export const shapeOf = ({ orchestrators, stores }: Shape): string => `${orchestrators} / ${stores}`;

/** CPU of a turn in all services together, in milliseconds. */
export const cpuOf = (cpu: readonly CpuOfService[]): number => cpu.reduce((sum, one) => sum + one.cpuMsPerTurn, 0);

/** The shapes in the order in which they were first measured. */
export function measuredOf(rounds: readonly Round[]): readonly Measured[] {
  const names = new Set(rounds.map(({ services }) => shapeOf(services.shape)));
  return [...names].flatMap((name) => {
    const same = rounds.filter(({ services }) => shapeOf(services.shape) === name);
    const first = same[0]?.services;
    if (first === undefined) return [];
    const turns = first.turns.map((_, index) => turnsOf(same, index));
    return [{ shape: first.shape, rounds: same.length, turns, first }];
  });
}

function turnsOf(rounds: readonly Round[], index: number): MeasuredTurns {
  const turns = rounds.flatMap(({ services }) => services.turns[index] ?? []);
  const names = turns[0]?.cpu.map(({ name }) => name) ?? [];
  const cpuRatios = rounds.map(({ services, oneProcess }) => {
    return cpuOf(services.turns[index]?.cpu ?? []) / (oneProcess[index]?.cpuMsPerTurn ?? Number.NaN);
  });
  return {
    times: medians(turns.map(({ cpu: _, ...times }) => times)),
    cpu: names.map((name) => ({ name, cpuMsPerTurn: median(turns.map(({ cpu }) => cpuIn(cpu, name))) })),
    cpuRatio: median(cpuRatios),
  };
}

/** CPU of a turn in one service, in milliseconds. */
export function cpuIn(cpu: readonly CpuOfService[], name: string): number {
  return cpu.find((one) => one.name === name)?.cpuMsPerTurn ?? 0;
}
