import { DomainError } from '@stopgo/core';
import { facts } from '@stopgo/proto';
import type {
  AttemptKey,
  Catalogue,
  ExecuteAnswer,
  ExecuteRequest,
  FenceNews,
  FenceOutcome,
  HandedAnswer,
  QuestionAnswer,
  ToolPort,
} from '../tool-port.ts';
import { type CallTurn, CallTurns } from './call-turns.ts';
import { type BridgeClient, BridgeDirectory, type DirectoryPorts } from './directory.ts';
import { executeAnswer, fenceOutcome, heldTool, offeredTool } from './wire.ts';

/** Longest wait for what a bridge knows without doing anything, in milliseconds. */
const askTimeoutMs = 2_000;
/** Longest wait for a list of tools, in milliseconds. */
const listTimeoutMs = 5_000;

const actions = {
  accept: facts.InputAction.ACCEPT,
  decline: facts.InputAction.DECLINE,
  cancel: facts.InputAction.CANCEL,
} as const;

/** Tools through the mcp-bridge service, of whatever instances there are. The catalogue is the latest that any of them gave. */
export class BridgeTools implements ToolPort {
  readonly #directory: BridgeDirectory;
  #latest: Catalogue | undefined;
  #revision = '';
  readonly #turns: CallTurns;
  /** Calls that a bridge makes of each server at the same time. */
  #atOnce: ReadonlyMap<string, number> = new Map();

  constructor(ports: DirectoryPorts) {
    this.#directory = new BridgeDirectory(ports, (client) => this.#list(client));
    this.#turns = new CallTurns(() => ports.clock.monotonic());
  }

  /** Asks every bridge for changes of its tools. Rejects with `unavailable` if none answers. */
  refresh(): Promise<void> {
    return this.#directory.refresh();
  }

  /** To be called after each heartbeat: takes note of the bridges that have come and gone. */
  look(): void {
    this.#directory.look();
  }

  close(): void {
    this.#directory.close();
  }

  /** The catalogue, if any bridge has given one. */
  known(): Catalogue | undefined {
    return this.#latest;
  }

  catalogue(): Catalogue {
    if (this.#latest === undefined)
      throw new DomainError('unavailable', 'no tool bridge has answered yet; try again', { retryAfterMs: 1_000 });
    return this.#latest;
  }

  choose(): string | undefined {
    return this.#directory.choose();
  }

  available(signal: AbortSignal): Promise<string> {
    return this.#directory.available(signal);
  }

  turn(bridge: string, server: string, signal: AbortSignal): CallTurn {
    return this.#turns.take(bridge, server, this.#atOnce.get(server) ?? 0, signal);
  }

  async execute(request: ExecuteRequest, waitMs: number): Promise<ExecuteAnswer> {
    const { key, bridge: instance, bearer, sessionId, server, tool, argumentsJson, approvalId } = request;
    const { digest, pin, user = '' } = request;
    const context = {
      ...(bearer === undefined ? {} : { bearerToken: bearer }),
      ...(sessionId === '' ? {} : { sessionId }),
    };
    const call = { key, instance, server, tool, argumentsJson, approvalId, digest, pin, user };
    try {
      const answer = await this.#directory.with(instance, (client) =>
        client.execute(call, { timeoutMs: waitMs, context }),
      );
      const outcome = executeAnswer(answer);
      // What it said before, of itself or of its tools, may not hold any more: it is asked again.
      if (['fenced', 'pin_changed', 'not_allowed'].includes(outcome.kind)) this.#directory.doubt(instance);
      return outcome;
    } catch (error) {
      // A call that takes longer says nothing about the bridge.
      if (!isTimeUp(error)) this.#directory.doubt(instance);
      // Another process is there now, and it runs nothing that is not for itself.
      if (isWrongInstance(error)) return { kind: 'fenced' };
      throw error;
    }
  }

  async fence(key: AttemptKey, instance: string, news?: FenceNews): Promise<FenceOutcome> {
    const { known = [], waitMs = 0 } = news ?? {};
    const request = { key, instance, knownQuestions: [...known], waitMs };
    const ask = (client: BridgeClient) => client.fenceCall(request, { timeoutMs: waitMs + askTimeoutMs });
    return fenceOutcome(await this.#directory.with(instance, ask));
  }

  async answer(key: AttemptKey, instance: string, answer: QuestionAnswer): Promise<HandedAnswer> {
    const { questionId, contentJson } = answer;
    const request = { key, instance, questionId, contentJson, action: actions[answer.action] };
    const hand = (client: BridgeClient) => client.answerCall(request, { timeoutMs: askTimeoutMs });
    const { taken, askedAnew } = await this.#directory.with(instance, hand);
    if (taken) return 'taken';
    return askedAnew ? 'asked_anew' : 'late';
  }

  async cancel(key: AttemptKey, instance: string): Promise<void> {
    await this.#directory.with(instance, (client) => client.cancelCall({ key, instance }, { timeoutMs: askTimeoutMs }));
  }

  async #list(client: BridgeClient): Promise<{ readonly instance: string }> {
    const answer = await client.listTools({ knownRevision: this.#revision }, { timeoutMs: listTimeoutMs });
    const { instance, revision, unchanged } = answer;
    const unlisted = new Set(answer.unlistedServers);
    if (!unchanged && revision !== this.#revision) {
      const said = new Map(answer.instructions.map(({ server, text, pin }) => [server, { text, pin }]));
      const tools = new Map(answer.tools.map((tool) => [tool.name, offeredTool(tool, said.get(tool.server))]));
      // Also of a server of which nothing is offered: nobody refers to it, and it does no harm.
      const definitions = new Map(
        [...answer.tools, ...answer.instructions].map((one) => [one.pin, one.definitionJson]),
      );
      const held = new Map(answer.held.map((tool) => [tool.name, heldTool(tool)]));
      this.#latest = { tools, definitions, held, unlisted };
      this.#atOnce = new Map(answer.tools.map(({ server, callsAtOnce }) => [server, callsAtOnce]));
      this.#revision = revision;
    } else if (this.#latest !== undefined && !isSame(unlisted, this.#latest.unlisted)) {
      this.#latest = { ...this.#latest, unlisted };
    }
    return { instance };
  }
}

function isSame(one: ReadonlySet<string>, other: ReadonlySet<string> = new Set()): boolean {
  return one.size === other.size && [...one].every((name) => other.has(name));
}

/** True if no answer has come in time. */
export function isTimeUp(error: unknown): boolean {
  return error instanceof DomainError && error.kind === 'deadline_exceeded';
}

/** True if another process has answered at the address of the one that was asked. */
export function isWrongInstance(error: unknown): boolean {
  return error instanceof DomainError && error.details.reason === 'wrong_instance';
}
