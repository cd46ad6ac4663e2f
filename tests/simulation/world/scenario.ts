import type { AgentDefinition, Policy } from '@stopgo/core';
import { planAgent, planCallingAgents, planDelegatingAgent } from './agents.ts';
import { ofEdits } from './edits.ts';
import { storeMutations } from './event-store.ts';
import { type FaultPlan, faultNames, planFaults, taskFaultNames } from './faults.ts';
import { Random } from './random.ts';

/** Deliberate breaks of the world around the code under test; each has to make a checker red. */
export const mutations = [
  ...storeMutations,
  'new-key-on-retry',
  'bridge-forgets-attempts',
  'bridge-changes-arguments',
  'bridge-without-gate',
  'bridge-answers-for-another',
  'bridge-sends-though-taken-for-dead',
  'fence-does-not-fence',
  'harm-is-hidden-from-policy',
  'acts-on-anothers-start',
  'takes-two-decisions',
  'never-sweeps',
  'everybody-else-is-dead',
  'reader-turns-a-no-into-a-yes',
  'edits-are-judged-by-no-rule',
  'acknowledges-before-the-log',
  'memory-takes-a-repeat-for-new',
  'memory-shows-what-it-knew',
  'draws-from-the-machine',
] as const;
export type Mutation = (typeof mutations)[number];

/** One conversation that people have. */
export type ConversationPlan = {
  readonly id: string;
  readonly turns: number;
  /** Messages and decisions carry a bearer token. */
  readonly hasToken: boolean;
  /** Commands carry idempotency keys. */
  readonly hasKeys: boolean;
  /** How often a pending approval is decided by two people at once. */
  readonly twoPeople: number;
  /** How often a run is canceled. */
  readonly cancels: number;
  /** How often people say yes. */
  readonly yes: number;
  /** How often nobody ever answers. */
  readonly silence: number;
};

/** Everything about a world that is fixed before it begins. */
export type Scenario = {
  readonly seed: number;
  readonly ttlMs: number;
  readonly orchestrators: number;
  readonly bridges: number;
  /** Everything is one process: it dies and starts as a whole. */
  readonly isTogether: boolean;
  /** Its tool servers take one call at a time; further ones wait in line, and a few of them at the bridge. */
  readonly takesOneAtATime: boolean;
  /** Its agents delegate to others, whose tasks ask people here. */
  readonly delegates: boolean;
  /** Its agents call each other: the first is that of the conversations. */
  readonly calls: boolean;
  /** What of its calls needs two people, until when, and who is reminded. */
  readonly policy?: Policy;
  /** People change the arguments of calls that wait, and its rules judge what they change them to. */
  readonly edits: boolean;
  readonly agents: readonly AgentDefinition[];
  readonly conversations: readonly ConversationPlan[];
  readonly faults: FaultPlan;
  readonly mutation?: Mutation;
};

/** Of so many worlds the tool servers of one take one call at a time. */
const oneAtATimeEvery = 3;

/** Of so many worlds one has a rule that demands two people, in time. Every part of the seeds has some of them. */
const demandingEvery = 4;
const isDemanding = (seed: number): boolean => Math.floor(seed / demandingEvery) % demandingEvery === 0;
const twoInTime: Policy = {
  rules: [
    {
      ...{ name: 'two', annotations: { destructive: true }, verdict: 'ask', reason: 'Two decide.' },
      demand: {
        ...{ approvers: [], votes: 2, notRequester: false },
        expires: { afterMs: 9_000, verdict: 'reject' },
        remindAfterMs: [500, 2_000],
        escalations: [{ afterMs: 1_500, to: [{ kind: 'user', name: 'somebody' }] }],
      },
    },
  ],
};

/** Of so many worlds people change the arguments of calls in one. */
const isEditing = (seed: number): boolean => Math.floor(seed / demandingEvery) % demandingEvery === 1;

/** Of which kind a world is; without, its agents use tools alone. */
export type Family = { readonly delegates?: boolean; readonly calls?: boolean };

/** The scenario of a seed. */
export function planScenario(
  seed: number,
  mutation?: Mutation,
  { delegates = false, calls = false }: Family = {},
): Scenario {
  const random = new Random(seed);
  const faults = planFaults(random.fork(), delegates ? taskFaultNames : faultNames);
  const plan = delegates ? planDelegatingAgent : planAgent;
  const isTogether = random.chance(0.15);
  return {
    seed,
    ttlMs: random.pick([1_000, 2_500, 5_000]),
    orchestrators: isTogether ? 1 : random.whole(1, 3),
    bridges: isTogether ? 1 : random.whole(1, 2),
    isTogether,
    takesOneAtATime: seed % oneAtATimeEvery === 0,
    delegates,
    calls,
    ...(isDemanding(seed) && !delegates && !calls ? { policy: twoInTime } : {}),
    ...(isEditing(seed) && !delegates && !calls ? { edits: true, policy: ofEdits } : { edits: false }),
    agents: calls
      ? planCallingAgents(random.fork())
      : Array.from({ length: random.whole(1, 2) }, (_, index) => plan(random.fork(), `agent-${index}`)),
    conversations: Array.from({ length: random.pick([1, 1, 2]) }, () => planConversation(random.fork(), delegates)),
    faults,
    ...(mutation === undefined ? {} : { mutation }),
  };
}

function planConversation(random: Random, delegates: boolean): ConversationPlan {
  return {
    id: random.uuid(),
    turns: random.whole(1, 3),
    hasToken: random.chance(0.25),
    hasKeys: random.chance(0.7),
    twoPeople: random.pick([0, 0.3, 1]),
    cancels: random.pick([0, 0, 0.2, 0.6]),
    yes: random.pick([0.3, 0.8, 0.95]),
    silence: random.pick(delegates ? [0, 0, 0.15, 0.4] : [0, 0, 0, 0.1]),
  };
}
