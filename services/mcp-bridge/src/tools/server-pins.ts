import {
  type Actor,
  type DomainError,
  dataLoss,
  evolvePins,
  type Fact,
  fact,
  meetServer,
  type PinnedTool,
  type PinState,
  type Pins,
  pinState,
  pinsStream,
  type RecordedFact,
  type StreamName,
  serverIdentity,
  toolStream,
  unavailable,
  unmet,
} from '@stopgo/core';
import { appendUntilKnown, type Clock, type ConversationLog, recordedOf, untilAnswered } from '@stopgo/log';
import { abortsWithin, type McpServerConfig } from '@stopgo/runtime';
import { reasonOf } from '../failures.ts';
import { shownAddress } from '../lines/shown-address.ts';
import type { DefinedTool } from './tool-definitions.ts';

/** What keeping pins needs. */
export type PinPorts = {
  readonly log: ConversationLog;
  readonly clock: Clock;
  readonly random: () => number;
  readonly newId: () => string;
  /** The id of this bridge, which is the one who acts when nobody else does. */
  readonly instance: () => string;
  readonly bounds: { readonly pinsMs: number; readonly definitionsAtOnce: number };
};

/** What is accepted of a server: a tool, or its instructions. */
export type Pinnable = Pick<DefinedTool, 'ownName' | 'pin' | 'definitionJson'>;

/** Conflicts in a row after which an acceptance is given up: others accept at the same time, again and again. */
const conflictsMax = 20;

/**
 * What was accepted of one tool server, as its stream has it: in the log for all bridges, and here as far as it was read. A bridge
 * that lags knows less than was accepted, never more, but for what was accepted otherwise since.
 */
export class ServerPins {
  /** Names the server's stream. */
  readonly identity: string;
  /** True if nothing is accepted at first contact. */
  readonly isStrict: boolean;
  readonly #config: McpServerConfig;
  readonly #ports: PinPorts;
  readonly #onChange: () => void;
  #pins: Pins = unmet;

  /** `onChange` is told when something else is accepted than before. */
  constructor(config: McpServerConfig, ports: PinPorts, onChange: () => void) {
    const { name, transport, pins } = config;
    const where = transport.kind === 'http' ? [new URL(transport.url).href] : [transport.command, ...transport.args];
    this.identity = serverIdentity(name, transport.kind, where);
    this.isStrict = pins === 'strict';
    this.#config = config;
    this.#ports = ports;
    this.#onChange = onChange;
  }

  standing(tool: Pinnable): PinState {
    return pinState(this.#pins, pinned(tool));
  }

  /** Pin of the definition that was accepted of a tool, under its server's name for it; undefined if none was. */
  acceptedPin(name: string): string | undefined {
    return this.#pins.accepted.get(name)?.pin;
  }

  /**
   * To be called when the server is connected: at first contact, what it offers is accepted and recorded. Of several bridges that
   * meet it at once the log takes one, and the others go by what that one found.
   *
   * @throws DomainError `unavailable` if the log does not answer; then nothing of the server may be used.
   */
  async meet(tools: readonly Pinnable[], signal: AbortSignal): Promise<void> {
    if (this.#pins.isMet) return;
    await this.#within(signal, async (end) => {
      await this.#catchUp(end);
      if (this.#pins.isMet) return;
      if (!this.isStrict) await this.#define(tools, end);
      const { name: server, transport } = this.#config;
      const met = { identity: this.identity, server, transport: transport.kind, address: shownAddress(transport) };
      await this.#append((pins) => meetServer(pins, met, tools.map(pinned), this.isStrict), end);
    });
  }

  /**
   * Puts tools on the record as they are here, and tells under which names and digests they can be accepted.
   *
   * @throws DomainError `unavailable` if it is not known whether all are on the record.
   */
  async define(tools: readonly Pinnable[], signal: AbortSignal): Promise<PinnedTool[]> {
    await this.#within(signal, (end) => this.#define(tools, end));
    return tools.map(pinned);
  }

  /**
   * Takes note of what was accepted up to a revision, unless that is known.
   *
   * @throws DomainError `unavailable` if the log does not answer.
   */
  async learn(revision: number, signal: AbortSignal): Promise<void> {
    if (this.#pins.revision < revision) await this.#within(signal, (end) => this.#catchUp(end));
  }

  /** The definition that was accepted of a tool, as canonical JSON; empty if none was. */
  async acceptedDefinition(name: string, signal: AbortSignal): Promise<string> {
    const pin = this.acceptedPin(name);
    if (pin === undefined) return '';
    for await (const { fact: one } of this.#ports.log.read(toolStream(pin), 1, signal))
      if (one.case === 'toolDefined') return one.value.definitionJson;
    throw unavailable(`the definition of "${name}" that was accepted cannot be read now`);
  }

  /** Takes note of what others accept. Rejects when the signal aborts, or with what cannot be read. */
  async follow(signal: AbortSignal): Promise<void> {
    const { log, clock, random } = this.#ports;
    const read = async () => {
      for await (const event of log.follow(pinsStream(this.identity), this.#pins.revision + 1, signal))
        this.#apply([event]);
      // It ends with the caller only: whoever ends it otherwise is away.
      throw unavailable('the log told no more');
    };
    await untilAnswered(read, clock, random, signal);
  }

  get #self(): Actor {
    return { kind: 'system', id: this.#ports.instance() };
  }

  async #within(signal: AbortSignal, work: (end: AbortSignal) => Promise<void>): Promise<void> {
    const end = abortsWithin(this.#ports.bounds.pinsMs, signal);
    try {
      await work(end);
    } catch (error) {
      if (!end.aborted) throw error;
      throw unanswered(this.#config.name, error);
    }
  }

  async #catchUp(signal: AbortSignal): Promise<void> {
    const { log, clock, random } = this.#ports;
    const read = async () => {
      for await (const event of log.read(pinsStream(this.identity), this.#pins.revision + 1, signal))
        this.#apply([event]);
    };
    await untilAnswered(read, clock, random, signal);
  }

  /** Puts the definitions on the record, each once for all: what is accepted can be shown for ever. */
  async #define(tools: readonly Pinnable[], signal: AbortSignal): Promise<void> {
    const { definitionsAtOnce } = this.#ports.bounds;
    for (let from = 0; from < tools.length; from += definitionsAtOnce)
      await Promise.all(
        tools.slice(from, from + definitionsAtOnce).map(async ({ pin, definitionJson }) => {
          const stream = toolStream(pin);
          const outcome = await this.#send(stream, 0, [fact('toolDefined', { pin, definitionJson })], signal);
          if (outcome.kind !== 'conflict') return;
          const [there] = outcome.unseen;
          if (there?.fact.case !== 'toolDefined' || there.fact.value.definitionJson !== definitionJson)
            throw dataLoss(`${stream} holds another definition than the one that it is named after`);
        }),
      );
  }

  /** Decides and appends, anew after each append of somebody else. */
  async #append(decide: (pins: Pins) => readonly Fact[], signal: AbortSignal): Promise<void> {
    const stream = pinsStream(this.identity);
    for (let conflicts = 0; conflicts < conflictsMax; conflicts += 1) {
      const facts = decide(this.#pins);
      if (facts.length === 0) return;
      const outcome = await this.#send(stream, this.#pins.revision, facts, signal);
      if (outcome.kind !== 'conflict') return this.#apply(outcome.events);
      this.#apply(outcome.unseen);
      if (this.#pins.revision < outcome.currentRevision) await this.#catchUp(signal);
    }
    throw unavailable(`${stream}: ${conflictsMax} conflicts in a row; try again`);
  }

  async #send(stream: StreamName, expectedRevision: number, facts: readonly Fact[], signal: AbortSignal) {
    const actor = this.#self;
    const { log, clock, random, newId } = this.#ports;
    const append = {
      ...{ stream, expectedRevision, facts, actor, correlationId: '', causationId: '' },
      ...{ key: newId(), now: clock.now(), eventIds: facts.map(() => newId()) },
    };
    const outcome = await appendUntilKnown(log, append, clock, random, signal);
    return outcome.kind === 'conflict' ? outcome : { kind: outcome.kind, events: recordedOf(append) };
  }

  #apply(events: readonly RecordedFact[]): void {
    const before = this.#pins;
    for (const event of events)
      if (event.revision === this.#pins.revision + 1) this.#pins = evolvePins(this.#pins, event);
    if (this.#pins !== before) this.#onChange();
  }
}

/** A tool is accepted under the name that its server has for it: the configuration may call it otherwise at any time. */
function pinned({ ownName, pin }: Pinnable): PinnedTool {
  return { name: ownName, pin };
}

function unanswered(server: string, cause: unknown): DomainError {
  return unavailable(
    `the log does not answer, and without it nobody knows which tools of "${server}" are accepted (${reasonOf(cause)})`,
  );
}
