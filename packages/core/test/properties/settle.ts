/** A fair world for one run: nothing fails by chance, everything has one outcome; only the order of things is open. */
import {
  type AgentDefinition,
  advance,
  type ConversationState,
  type Definitions,
  decideRun,
  decodeSnapshot,
  definedAs,
  type Effect,
  encodeSnapshot,
  evolve,
  type Fact,
  foldVersion,
  type HumanDecision,
  hasWork,
  initialState,
  outputFromWire,
  outputText,
  pendingApprovals,
  type RecordedFact,
  type RunCommand,
  receiveMessage,
  resolveApproval,
  TranscriptBuilder,
} from '@stopgo/core';
import { dawn, recorded } from '../specification.ts';
import { bridge, delegates, digests, opened, replies, returns, tools } from '../story.ts';

export type World = {
  readonly agent: AgentDefinition;
  readonly model: (effect: Extract<Effect, { kind: 'model' }>) => RunCommand;
  readonly decide: (callId: string) => HumanDecision;
  /** Which of all the things that can happen now happens: 0 is the first. */
  readonly pick: (moves: readonly string[]) => number;
};

/** The log of a run that has settled. Each move is made by a new process that knows the snapshot and nothing else. */
export function settle({ agent, model, decide, pick }: World): readonly RecordedFact[] {
  let state = initialState;
  const log: RecordedFact[] = [];
  const append = (facts: readonly Fact[]): void => {
    for (const event of recorded(facts, state.revision)) {
      log.push(event);
      state = evolve(state, event);
    }
    state = decodeSnapshot(encodeSnapshot(state), foldVersion) ?? state;
  };
  append([opened]);
  const definitions = definedAs(digests, { agent, tools });
  const started = { runId: 'run', agent: { ...digests, definitions }, instance: 'process-0', now: dawn };
  const message = receiveMessage(state, { text: 'go', bearerTokenPresent: false, ...started });
  if (message.kind === 'append') append(message.facts);
  for (let process = 1; state.run?.status === 'open'; process += 1) {
    const instance = `process-${process}`;
    const drive = (commands: readonly RunCommand[]): void => {
      // All before it are dead: each made one move.
      const claim: RunCommand = { type: 'claim', dead: Array.from({ length: process }, (_, n) => `process-${n}`) };
      const me = { instance, epoch: 0 };
      const run = { definitions, runId: 'run', me, now: dawn };
      const decision = decideRun(state, [claim, ...commands], run);
      if (decision.kind === 'append') append(decision.facts);
    };
    const moves = movesOf(state, definitions, { model, decide, drive, append });
    if (moves.length === 0) throw new Error('an open run waits for nothing');
    const [, move] = moves[pick(moves.map(([name]) => name)) % moves.length] as Move;
    move();
    if (state.run?.status === 'open' && state.run.owner === null && hasWork(state.run)) drive([]);
  }
  return log;
}

type Move = readonly [name: string, move: () => void];
type Hands = Pick<World, 'model' | 'decide'> & {
  readonly drive: (commands: readonly RunCommand[]) => void;
  readonly append: (facts: readonly Fact[]) => void;
};

function movesOf(state: ConversationState, definitions: Definitions, { model, decide, drive, append }: Hands): Move[] {
  const { run } = state;
  if (run === null) return [];
  const effects = advance(definitions, state, dawn).effects.map((effect): Move => {
    const { id } = effect;
    if (effect.kind === 'model') return [id, () => drive([model(effect)])];
    if (effect.kind === 'delegation') return [id, () => drive([delegates(effect.stepId, `${id} asks`)])];
    if (effect.kind === 'agent' || effect.kind === 'memory' || effect.kind === 'data')
      throw new Error('no agent of this world is from git');
    if (effect.kind === 'call' && effect.fenced)
      return [`${id} starts`, () => drive([{ type: 'startCall', callId: id, attempt: effect.attempt, bridge }])];
    const ends = run.calls[id]?.target?.kind === 'remote' ? replies : returns;
    return [`${id} ends`, () => drive([ends(id, `${id} did`, effect.attempt)])];
  });
  const decisions = pendingApprovals(run).map((approvalId): Move => {
    const callId = run.interrupts[approvalId]?.callId ?? '';
    const take = () => {
      const decision = resolveApproval(state, { approvalId, decision: decide(callId) });
      if (decision.kind === 'append') append(decision.facts);
    };
    return [`${callId} is decided`, take];
  });
  return [...effects, ...decisions];
}

/** What a log says, whatever the order and whoever drove: one line for each event, sorted. */
export function saidBy(log: readonly RecordedFact[]): string[] {
  const transcript = new TranscriptBuilder();
  for (const event of log) transcript.add(event);
  const textOf = (output: unknown): string =>
    outputText(outputFromWire(output as Parameters<typeof outputFromWire>[0]), (at) => transcript.textAt(at));
  return log
    .filter(({ fact }) => fact.case !== 'runClaimed' && fact.case !== 'runReleased')
    .map(({ fact }) => {
      const { case: name } = fact;
      const outputs = ['output', 'value'];
      const told = JSON.stringify(fact.value, (key, value) => {
        if (outputs.includes(key) && typeof value === 'object') return textOf(value);
        return key === 'callRevision' || key === 'owner' || key === 'opaque' ? undefined : value;
      });
      return `${name} ${told}`;
    })
    .sort();
}
