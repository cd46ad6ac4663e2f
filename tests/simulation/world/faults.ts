import type { Random } from './random.ts';

/** Everything that can go wrong, with the probability that it does, each time it could, when its rate is 1. */
export const faultMenu = {
  crashBeforeAppend: 0.015,
  crashAfterAppend: 0.015,
  crashBeforeCall: 0.02,
  crashInCall: 0.02,
  crashAfterCall: 0.02,
  crashAroundModel: 0.01,
  crashAnyTime: 0.04,
  appendAnswerLost: 0.03,
  appendNeverArrives: 0.03,
  appendLandsLate: 0.03,
  appendTwice: 0.03,
  staleRead: 0.03,
  readFails: 0.03,
  followBreaks: 0.05,
  leaveAnyTime: 0.03,
  freezeAnyTime: 0.05,
  freezeBeforeCall: 0.04,
  heartbeatLapses: 0.05,
  outage: 0.03,
  bridgeCrash: 0.04,
  bridgeRestart: 0.04,
  bridgeFreeze: 0.04,
  bridgeFreezeInCall: 0.04,
  callNeverArrives: 0.03,
  callAnswerLost: 0.04,
  callTwice: 0.04,
  fenceAnswerLost: 0.1,
  outcomeForgotten: 0.05,
  toolDiesBefore: 0.02,
  toolDiesAfter: 0.02,
  toolChanges: 0.03,
  toolWantsToken: 0.02,
  requestLost: 0.03,
  requestTwice: 0.04,
  answerLost: 0.03,
  nudgeLost: 0.3,
  nudgeTwice: 0.2,
  modelFails: 0.03,
} as const;

/** What can go wrong besides where tasks of other agents ask something. */
export const taskFaultMenu = {
  delegationNeverArrives: 0.05,
  delegationUnheard: 0.05,
  delegationLandsLate: 0.05,
  answerNeverArrives: 0.12,
  answerUnheard: 0.12,
  answerLandsLate: 0.12,
  freezeAroundAnswer: 0.1,
  freezeAroundDelegation: 0.1,
  freezeInLook: 0.06,
  lookFails: 0.05,
  agentDown: 0.04,
  agentRefuses: 0.1,
  agentShowsWhatWas: 0.15,
  agentWantsToken: 0.05,
  decidedThere: 0.2,
  canceledThere: 0.1,
  questionChanges: 0.2,
} as const;

type MenuName = keyof typeof faultMenu;
type TaskFaultName = keyof typeof taskFaultMenu;
export type FaultName = MenuName | TaskFaultName;
const likelihoods: Readonly<Record<FaultName, number>> = { ...faultMenu, ...taskFaultMenu };
export const faultNames = Object.keys(faultMenu) as FaultName[];
/** What has to do with tools only. */
const toolFault = /^(bridge|call|fence|outcome|tool)/;
export const taskFaultNames = [
  ...faultNames.filter((name) => !toolFault.test(name)),
  ...(Object.keys(taskFaultMenu) as FaultName[]),
];

/** What goes wrong in one world. */
export type FaultPlan = {
  readonly name: string;
  /** Factor on the menu's probability; absent = never. */
  readonly rates: Readonly<Partial<Record<FaultName, number>>>;
  /** Virtual time after which nothing goes wrong any more, in milliseconds. */
  readonly untilMs: number;
  /** How many faults there are at most. */
  readonly most: number;
};

/** Decides when something goes wrong, and counts it. */
export class Faults {
  readonly counts: Partial<Record<FaultName, number>> = {};
  readonly plan: FaultPlan;
  private readonly random: Random;
  private readonly now: () => number;
  private readonly trace: (line: () => string) => void;
  private total = 0;

  constructor(plan: FaultPlan, random: Random, now: () => number, trace: (line: () => string) => void) {
    this.plan = plan;
    this.random = random;
    this.now = now;
    this.trace = trace;
  }

  /** True once nothing will go wrong any more. */
  isOver(): boolean {
    return this.now() > this.plan.untilMs || this.total >= this.plan.most;
  }

  /** True if this fault is to happen here. */
  hit(name: FaultName): boolean {
    const rate = this.plan.rates[name];
    if (rate === undefined || this.isOver()) return false;
    if (!this.random.chance(Math.min(0.6, likelihoods[name] * rate))) return false;
    this.total += 1;
    this.counts[name] = (this.counts[name] ?? 0) + 1;
    this.trace(() => `! ${name}`);
    return true;
  }
}

/** The plan of a seed: a mix of everything, one fault at a high rate, or (seldom) none at all. */
export function planFaults(random: Random, names: readonly FaultName[] = faultNames): FaultPlan {
  const kind = random.next();
  const untilMs = random.between(3_000, 25_000);
  if (kind < 0.05) return { name: 'none', rates: {}, untilMs, most: 0 };
  if (kind < 0.4) {
    const one = random.pick(names);
    return { name: one, rates: { [one]: random.between(3, 20) }, untilMs, most: random.whole(1, 30) };
  }
  const level = random.between(0.3, 2.5);
  const rates: Partial<Record<FaultName, number>> = {};
  for (const name of names) if (random.chance(0.8)) rates[name] = level * random.between(0.2, 2);
  return { name: 'mix', rates, untilMs, most: random.whole(3, 40) };
}
