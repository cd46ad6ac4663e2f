import type { ConversationState, Definitions, RunCommand, StepDefinition } from '@stopgo/core';
import type { Secret } from '@stopgo/rpc';
import type { DriverPorts } from './ports.ts';
import type { Taken } from './queue.ts';
import type { SilentAgents } from './silent-agents.ts';
import type { Transcripts } from './transcripts.ts';

/** A run, for those who do what it owes: what they may know of it, and the one way to put something on its record. */
export type RunHandle = {
  readonly conversationId: string;
  readonly runId: string;
  readonly ports: DriverPorts;
  readonly transcripts: Transcripts;
  readonly silentAgents: SilentAgents;
  /** The conversation as far as this process has seen it: another one after each append. */
  readonly state: ConversationState;
  /** The token of the request that made the run go on last. Never recorded. */
  readonly bearer: Secret | undefined;
  /** Aborts when the process is to end. */
  readonly stopping: AbortSignal;
  /** What a step of the run follows. */
  definitionOf(stepId: string): StepDefinition;
  /** Makes definitions known that the run is about to name. All are on the record. */
  define(more: Definitions): void;
  /** True while this process may act as the run's owner, as far as it knows. */
  isOwner(): boolean;
  /** True while the run goes on, as far as this process has seen: whoever drives it. */
  isOpen(): boolean;
  /** Puts a command on the record with the next append, if it is decided to be taken. */
  submit(command: RunCommand): Promise<Taken>;
  /** Reads what others appended, now. */
  refresh(): Promise<void>;
  /** True when `state` is a later one, or at once if it is no longer the one given; false when the run is not driven here any more, or the signal aborts. */
  movedOn(from: ConversationState, signal: AbortSignal): Promise<boolean>;
  /** A late outcome is on the record: the run may have work again. */
  handedIn(): void;
};
