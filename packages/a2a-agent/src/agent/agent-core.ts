import { randomUUID } from 'node:crypto';
import { answerWaitMsDefault } from '../bounds.ts';
import type { AgentProfile } from '../card.ts';
import { type Extensions, requireNamed } from '../extensions.ts';
import { agentMessage, textPart } from '../parts.ts';
import type { A2ARequestHandler, Message, Part } from '../protocol.ts';
import { type HandlerCall, requestHandler } from './handler.ts';
import type { ProcessFunc } from './process.ts';
import { asReadable, type OnError } from './readable.ts';
import { MemoryTaskStore, type TaskStore } from './task-store.ts';
import { Tasks } from './tasks.ts';

/** What an agent does, wherever it is reached. */
export type AgentBehaviour = {
  readonly name: string;
  readonly description: string;
  readonly process: ProcessFunc;
  readonly version?: string;
  readonly skills?: AgentProfile['skills'];
  /** What else it can do, for who asks for the extended card; absent: there is no such card. */
  readonly extendedSkills?: AgentProfile['skills'];
  /** Extensions, by URI, that a peer must name to be served. */
  readonly requiredExtensions?: readonly string[];
  /** True: readers of version 0.3 are given the address of gRPC as a URL. */
  readonly grpcAsUrl?: boolean;
  /** False for an agent without event streams. */
  readonly streaming?: boolean;
  /** Answers a message at once, with a message in place of a task; undefined makes it a task, as every message is by default. */
  readonly reply?: (message: Message) => string | readonly Part[] | undefined;
  /** Told what went wrong in the agent itself or was thrown by the process; by default it is printed in one line. */
  readonly onError?: OnError;
  /** Where it keeps its tasks; by default in memory, where they end with the process. */
  readonly store?: TaskStore;
  /** How long an answer waits for its task before it shows the task as it is, in milliseconds. */
  readonly answerWaitMs?: number;
};

/** An agent that is not reached by anybody yet. */
export class AgentCore {
  readonly store: TaskStore;
  readonly tasks: Tasks;
  readonly extensions: Extensions;
  readonly #behaviour: AgentBehaviour;
  readonly #onError: OnError;

  constructor(behaviour: AgentBehaviour) {
    this.#behaviour = behaviour;
    this.store = behaviour.store ?? new MemoryTaskStore();
    this.#onError = behaviour.onError ?? printed;
    const required = behaviour.requiredExtensions ?? [];
    this.extensions = { declared: required, required };
    this.tasks = new Tasks({
      store: this.store,
      process: behaviour.process,
      onError: (error, taskId) => this.#onError(error, `task ${taskId}`),
      newId: randomUUID,
      now: Date.now,
    });
  }

  /** What it says of itself to who reaches it there. */
  profileAt(baseUrl: string, grpcAddress?: string): AgentProfile {
    const {
      name,
      description,
      version = '0.1.0',
      skills,
      streaming = true,
      extendedSkills,
      grpcAsUrl = false,
    } = this.#behaviour;
    return {
      name,
      description,
      version,
      baseUrl,
      grpcAddress,
      grpcAsUrl,
      skills: skills ?? [{ id: name, name, description }],
      streaming,
      extensions: this.extensions.declared,
      requiredExtensions: this.extensions.required,
      extendedCard: extendedSkills !== undefined,
    };
  }

  /** The handler of one request. `named`: the extensions that it names. */
  handlerFor(call: HandlerCall, named: readonly string[], profile: AgentProfile): A2ARequestHandler {
    const { answerWaitMs = answerWaitMsDefault, extendedSkills } = this.#behaviour;
    return requestHandler(
      {
        tasks: this.tasks,
        store: this.store,
        profile,
        extendedSkills,
        answerWaitMs,
        admit: () => requireNamed(this.extensions, named),
        reply: (message) => this.#reply(message),
        readable: (error) => this.readable(error),
      },
      call,
    );
  }

  /** An error as a peer may read it. */
  readable(error: unknown): Error {
    return asReadable(error, randomUUID, this.#onError);
  }

  /** Tells somebody what went wrong. */
  report(error: unknown, about: string): void {
    this.#onError(error, about);
  }

  #reply(message: Message): Message | undefined {
    const said = this.#behaviour.reply?.(message);
    if (said === undefined) return undefined;
    const parts = typeof said === 'string' ? [textPart(said)] : [...said];
    return agentMessage({ id: randomUUID(), taskId: '', contextId: message.contextId || randomUUID(), parts });
  }
}

const printed: OnError = (error, about) =>
  console.error(`${about}: ${error instanceof Error ? error.message : String(error)}`);
