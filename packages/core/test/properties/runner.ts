/**
 * A world in memory for one run: it performs effects, decides approvals, brings tokens, lets processes die and hands in
 * outcomes late, in an order drawn from a tape, and checks after each move what must be true of every run.
 */

import { isDeepStrictEqual } from 'node:util';
import {
  type AgentDefinition,
  advance,
  approvalIn,
  type CallState,
  type ConversationState,
  cancelRun,
  type Definitions,
  decideLate,
  decideRun,
  decodeSnapshot,
  definedAs,
  type Effect,
  encodeSnapshot,
  evolve,
  type Fact,
  foldVersion,
  hasWork,
  initialState,
  pendingApprovals,
  provideToken,
  type RecordedFact,
  type RunCommand,
  type RunState,
  receiveMessage,
  resolveApproval,
  toolPin,
} from '@stopgo/core';
import { approvals } from '@stopgo/proto';
import { expect } from 'vitest';
import { interruptsOf } from '../../src/state/interrupt.ts';
import { dawn, recorded } from '../specification.ts';
import {
  call,
  changed,
  delegates,
  digests,
  modelAnswered,
  notStarted,
  opened,
  replies,
  returns,
  tells,
  tool,
  tools,
  unauthenticated,
  unknown,
} from '../story.ts';
import { Journal } from './journal.ts';
import { executionsOf } from './trees.ts';

const { DecisionKind } = approvals;

export type Played = {
  readonly log: readonly RecordedFact[];
  readonly state: ConversationState;
};

type Move = () => void;

/** Drives one message through the tree until its run is settled. */
export function play(agent: AgentDefinition, tape: readonly number[]): Played {
  const world = new World(agent, tape);
  // Every draw may leave three calls behind, each with a decision, a start and an outcome to come.
  const movesMax = 12 * tape.length + executionsOf(agent.root) + 20;
  for (let moves = 0; world.run.status === 'open'; moves += 1) {
    expect(moves, 'the run settles within its bound').toBeLessThan(movesMax);
    world.move();
  }
  return { log: world.log, state: world.state };
}

class World {
  readonly log: RecordedFact[] = [];
  state = initialState;
  private readonly definitions: Definitions;
  private readonly tape: readonly number[];
  private drawn = 0;
  private process = 1;
  /** Attempts whose process died while they were under way. */
  private orphans: CallState[] = [];
  private readonly journal = new Journal();

  constructor(agent: AgentDefinition, tape: readonly number[]) {
    this.definitions = definedAs(digests, { agent, tools });
    this.tape = tape;
    this.append([opened]);
    const message = receiveMessage(this.state, {
      text: 'go',
      runId: 'run',
      agent: { ...digests, definitions: this.definitions },
      instance: this.instance,
      bearerTokenPresent: false,
      now: dawn,
    });
    if (message.kind !== 'append') throw new Error(`the message was not taken: ${message.kind}`);
    this.append(message.facts);
  }

  get run(): RunState {
    if (this.state.run === null) throw new Error('there is no run');
    return this.state.run;
  }

  /** One move: the driver takes up what others did, then one of all the things that can happen now happens. */
  move(): void {
    this.takeUp();
    if (this.run.status !== 'open') return;
    const { effects } = advance(this.definitions, this.state, dawn);
    this.journal.owed(effects, this.run, this.log);
    const moves = [
      ...effects.map((effect) => this.settling(effect)),
      ...pendingApprovals(this.run).map((id) => this.deciding(id)),
      ...(interruptsOf(this.run, 'auth').length > 0 ? [this.bringingToken()] : []),
    ];
    expect(moves, 'an open run waits for something that can happen').not.toEqual([]);
    // Once the tape is used up, the first move is always one that settles something.
    const rare = [
      ...this.orphans.map((orphan) => this.handingInLate(orphan)),
      ...(effects.length > 0 ? [this.dying()] : []),
      ...(this.run.owner === null ? [] : Object.values(this.run.calls))
        .filter((one) => one.sent !== undefined)
        .map((one) => this.telling(one)),
      ...(this.draw(40) === 39 ? [this.canceling()] : []),
    ];
    const all = [...moves, ...rare];
    all[this.draw(all.length)]?.();
  }

  /** The owner looks at what others wrote; a run that nobody owns and that has work is claimed. */
  private takeUp(): void {
    const claims: RunCommand[] = this.run.owner === null && hasWork(this.run) ? [{ type: 'claim', dead: [] }] : [];
    if (claims.length > 0 || this.run.owner !== null) this.drive(claims);
    if (this.run.status !== 'open') return;
    expect(this.run.owner === null, 'released exactly when nothing is left to do').toBe(!hasWork(this.run));
  }

  private drive(commands: readonly RunCommand[]): readonly boolean[] {
    const decision = this.decide(commands, this.instance);
    if (decision.kind === 'fenced') throw new Error('the owner was fenced off');
    this.append(decision.facts);
    same(this.state, withTimes(decision.state, this.state), 'what was anticipated is what is folded');
    return decision.applied;
  }

  private decide(commands: readonly RunCommand[], instance: string) {
    const owner = this.run.owner;
    const me = owner?.instance === instance ? owner : { instance, epoch: owner?.epoch ?? 0 };
    return decideRun(this.state, commands, { definitions: this.definitions, runId: 'run', me, now: dawn });
  }

  private append(facts: readonly Fact[]): void {
    for (const event of recorded(facts, this.state.revision)) {
      this.log.push(event);
      this.state = evolve(this.state, event);
    }
    same(decodeSnapshot(encodeSnapshot(this.state), foldVersion), this.state, 'a snapshot is the state');
    const run = this.state.run;
    if (run === null) return;
    const owed = advance(this.definitions, this.state, dawn);
    expect(hasWork(run), 'work is what advance finds').toBe(owed.facts.length + owed.effects.length > 0);
    const again = advance(this.definitions, owed.state, dawn);
    same([again.facts, again.effects], [[], owed.effects], 'advancing twice adds nothing');
  }

  private settling(effect: Effect): Move {
    return () => {
      const command = this.outcomeOf(effect);
      expect(this.drive([command]), `${command.type} for ${effect.id} is taken`).toEqual([true]);
      const owed = advance(this.definitions, this.state, dawn).effects;
      expect(owed, 'a settled effect is owed no more').not.toContainEqual(effect);
      this.journal.settled(effect, command);
    };
  }

  private outcomeOf(effect: Effect): RunCommand {
    if (effect.kind === 'model') return this.modelOutcome(effect);
    if (effect.kind === 'delegation') return delegates(effect.stepId, this.draw(12) === 11 ? ' ' : `${effect.id} asks`);
    if (effect.kind === 'agent' || effect.kind === 'memory' || effect.kind === 'data')
      throw new Error('no agent of this world is from git');
    return this.callCommand(effect);
  }

  private modelOutcome(effect: Extract<Effect, { kind: 'model' }>): RunCommand {
    const { stepId, turn } = effect;
    const text = `${effect.id} says`;
    const kind = this.draw(12);
    if (kind === 11)
      return { type: 'modelFailed', stepId, turn, model: 'm', message: 'no', text: `LLM error: ${effect.id}` };
    if (kind < 2) return modelAnswered({ text: kind === 0 ? text : '', step: stepId, turn });
    const names = ['list', 'note', 'add', 'put', 'remove', 'missing', 'a2a_peer', 'a2a_bank', 'exit_loop'];
    const calls = Array.from({ length: 1 + this.draw(3) }, () => {
      const name = names[this.draw(names.length)] as string;
      return call(name, this.draw(10) === 9 ? 'not JSON' : { n: this.draw(3), message: 'Do it.' });
    });
    return modelAnswered({ text: kind % 2 === 0 ? text : '', calls, step: stepId, turn });
  }

  private callCommand(effect: Extract<Effect, { attempt: number }>): RunCommand {
    const { id, attempt } = effect;
    if (effect.kind === 'call' && effect.fenced)
      return this.draw(12) === 11
        ? { type: 'needToken', callId: id, prompt: 'Sign in.' }
        : { type: 'startCall', callId: id, attempt, bridge: 'bridge' };
    const { tool: name = '', target } = this.run.calls[id] ?? {};
    const isRemote = target?.kind === 'remote';
    const ends = isRemote ? replies : returns;
    const drawn = this.draw(8);
    // An agent is what the definition says: nothing of it changes on the way.
    switch (isRemote && drawn === 5 ? 4 : drawn) {
      case 7:
        return effect.kind === 'recover' ? notStarted(id, attempt) : unauthenticated(id, attempt);
      case 6:
        return unauthenticated(id, attempt);
      case 5: {
        const { pin } = toolPin(`${name} ${this.draw(100)}`);
        return changed(
          id,
          tool(name, { destructive: this.draw(2) === 1, idempotent: this.draw(2) === 1 }, { pin }),
          attempt,
        );
      }
      case 4:
        return effect.kind === 'recover' ? unknown(id, attempt) : ends(id, 'broken', attempt, true);
      case 3:
        return ends(id, 'broken', attempt, true);
      default:
        return ends(id, `${id} did`, attempt);
    }
  }

  private deciding(approvalId: string): Move {
    return () => {
      const isDoubt = approvalIn(this.run, approvalId)?.of === 'in_doubt';
      const doubt = [
        { kind: DecisionKind.HAPPENED, result: 'so it is' },
        { kind: DecisionKind.RUN_AGAIN },
        { kind: DecisionKind.GIVE_UP },
      ] as const;
      const plain = [
        { kind: DecisionKind.APPROVE },
        { kind: DecisionKind.APPROVE },
        { kind: DecisionKind.REJECT },
      ] as const;
      const decision = (isDoubt ? doubt : plain)[this.draw(3)];
      if (decision === undefined) throw new Error('nothing was drawn');
      const first = resolveApproval(this.state, { approvalId, decision });
      if (first.kind !== 'append') throw new Error(`the decision was not taken: ${first.kind}`);
      this.append(first.facts);
      expect(resolveApproval(this.state, { approvalId, decision }).kind, 'deciding twice adds nothing').toBe('settled');
    };
  }

  private bringingToken(): Move {
    return () => this.append(provideToken(this.state));
  }

  /** The process dies and another takes over; what the dead one still writes is fenced off. */
  private dying(): Move {
    return () => {
      const dead = this.instance;
      this.orphans.push(...Object.values(this.run.calls).filter((one) => one.phase === 'started'));
      this.process += 1;
      this.drive([{ type: 'claim', dead: [dead] }]);
      expect(this.decide([], dead).kind, 'one driver').toBe('fenced');
    };
  }

  /** What an agent tells of a task that goes on changes nothing of what is owed. */
  private telling({ id, attempt, phase }: CallState): Move {
    return () => {
      const before = advance(this.definitions, this.state, dawn).effects;
      const [isTaken] = this.drive([tells(id, `state ${this.drawn}`, attempt)]);
      expect(isTaken, 'only of an attempt that goes on').toBe(phase === 'started');
      same(advance(this.definitions, this.state, dawn).effects, before, 'an update settles nothing');
    };
  }

  private handingInLate(orphan: CallState): Move {
    return () => {
      this.orphans = this.orphans.filter((one) => one !== orphan);
      const { id, stepId, attempt, target } = orphan;
      const ends = target?.kind === 'remote' ? replies : returns;
      this.append(decideLate(this.state, 'run', stepId, ends(id, 'late', attempt)));
    };
  }

  private canceling(): Move {
    return () => {
      const decision = cancelRun(this.state, { reason: 'enough' });
      if (decision.kind === 'append') this.append(decision.facts);
    };
  }

  private get instance(): string {
    return `process-${this.process}`;
  }

  /** A number below `below`; 0 once the tape is used up. */
  private draw(below: number): number {
    const drawn = this.tape[this.drawn] ?? 0;
    this.drawn += 1;
    return drawn % below;
  }
}

/** As `toEqual`, but cheap while it holds: it is asked thousands of times. */
function same(actual: unknown, wanted: unknown, what: string): void {
  if (!isDeepStrictEqual(actual, wanted)) expect(actual, what).toStrictEqual(wanted);
}

/** Times are given by the append; the state that a decider anticipates has one for all. */
function withTimes(anticipated: ConversationState, folded: ConversationState): ConversationState {
  const { run } = anticipated;
  if (run === null) return { ...anticipated, updatedAt: folded.updatedAt };
  const interrupts = Object.fromEntries(
    Object.entries(run.interrupts).map(([id, one]) => {
      const other = folded.run?.interrupts[id];
      const requestedAt = other?.requestedAt ?? 0;
      if (one.kind !== 'approval' || other?.kind !== 'approval') return [id, { ...one, requestedAt }];
      const votes = one.votes.map((vote, index) => ({ ...vote, at: other.votes[index]?.at ?? 0 }));
      return [id, { ...one, requestedAt, votes }];
    }),
  );
  return { ...anticipated, updatedAt: folded.updatedAt, run: { ...run, interrupts } };
}
