import type { Clock, ConversationLog, DefinitionSource, Liveness, Waits } from '@stopgo/log';
import type { CallableAgents } from '../../agents/callable.ts';
import type { DelegationPort } from '../../delegation-port.ts';
import type { MemoryPort } from '../../memories/memory-port.ts';
import type { ModelPort } from '../../models/port.ts';
import type { ToolPort } from '../../tool-port.ts';
import type { AgentNews } from './agent-news.ts';
import type { Room } from './room.ts';

/** Shows a model's answer while it is being made. Nothing waits for it. */
export type Deltas = {
  publish(delta: {
    readonly conversationId: string;
    readonly runId: string;
    readonly stepId: string;
    readonly turn: number;
    /** Higher for a repeat of the model call, whoever repeats it. */
    readonly attempt: number;
    readonly text: string;
    readonly offset: number;
  }): void;
  /** The answer is complete: what was not sent yet is sent now, before the answer is on the record. */
  ended(answer: {
    readonly runId: string;
    readonly stepId: string;
    readonly turn: number;
    readonly attempt: number;
  }): void;
  /** So many watch the conversation now. */
  watched(conversationId: string, watchers: number): void;
};

/** Which model failed where, and why; without secrets. */
export type ModelFailure = {
  readonly model: string;
  readonly conversation: string;
  readonly run: string;
  readonly step: string;
  readonly reason: string;
};

/** A call that policy has approved. `server`: empty if it goes to another agent. */
export type Unasked = {
  readonly conversation: string;
  readonly step: string;
  readonly call: string;
  readonly tool: string;
  readonly server: string;
};

/** What results hold beside text. */
export type BlobSource = {
  /** The bytes of a blob that an event of the conversation names, or is about to. Rejects if they cannot be had. */
  read(conversationId: string, digest: string, signal: AbortSignal): Promise<Uint8Array>;
};

/** Everything a driver needs of the outside world. */
export type DriverPorts = {
  /** Id of this process. */
  readonly instance: string;
  readonly log: ConversationLog;
  readonly tools: ToolPort;
  readonly delegations: DelegationPort;
  /** Agents of this platform that others call. */
  readonly agents: CallableAgents;
  /** What agents of this platform remember. */
  readonly memories: MemoryPort;
  /** What runs name, as it was recorded. */
  readonly definitions: DefinitionSource;
  readonly blobs: BlobSource;
  /** Room for the blobs that all model requests of this process hold at the same time. */
  readonly blobRoom: Room;
  /** The model of a name; `fallbacks` are asked in this order where the one before could not answer. */
  readonly models: { forModel(name: string, fallbacks?: readonly string[]): ModelPort };
  readonly liveness: Liveness;
  readonly clock: Clock;
  readonly newId: () => string;
  /** A number from 0 up to 1, for jitter. */
  readonly random: () => number;
  readonly deltas: Deltas;
  /** A model gave no answer, after all tries: whoever runs the platform is told, besides the user. */
  readonly onModelFailed: (failure: ModelFailure) => void;
  /** A destructive call is made that no human was asked about: its place in the tree, a rule or a standing approval lets it run. */
  readonly onUnasked?: (call: Unasked) => void;
  /** What runs wait for besides people: told to whoever reads their conversations. */
  readonly waits: Waits;
  /** Which agents do not answer when they are asked about their tasks. */
  readonly news: AgentNews;
  /** Something that must not happen did; the run is left to the sweep. */
  readonly onFault: (error: unknown, where: string) => void;
};
