import {
  type Actor,
  type AgentRepository,
  evolveRepository,
  type Fact,
  fact,
  noRepository,
  type RepositorySource,
  repositoryStream,
  type StreamName,
} from '@stopgo/core';
import { type Append, appendUntilKnown, type DefinitionPorts, recordedOf, untilAnswered } from '@stopgo/log';

/** Longest pause before the stream is followed again after it could not be, in milliseconds. */
const followPauseMs = 1_000;

/** What is on the record of one repository, kept up to date by what this process and others append. */
export class RepositoryRecord {
  readonly #ports: DefinitionPorts;
  readonly #stream: StreamName;
  #state: AgentRepository = noRepository;

  constructor(ports: DefinitionPorts, name: string) {
    this.#ports = ports;
    this.#stream = repositoryStream(name);
  }

  /** As of the last event that is known here. */
  get state(): AgentRepository {
    return this.#state;
  }

  /** Reads all that is on the record. @throws the signal's reason when it aborts. */
  async load(signal: AbortSignal): Promise<void> {
    const { clock, log, random } = this.#ports;
    await untilAnswered(
      async () => {
        for await (const event of log.read(this.#stream, this.#state.revision + 1, signal)) this.#take(event);
      },
      clock,
      random,
      signal,
    );
  }

  /** Takes up what others append, until the signal aborts. Never throws. */
  async follow(signal: AbortSignal): Promise<void> {
    const { clock, log } = this.#ports;
    while (!signal.aborted) {
      try {
        for await (const event of log.follow(this.#stream, this.#state.revision + 1, signal)) this.#take(event);
      } catch {
        // The store is out of reach, or the signal has aborted.
      }
      if (!signal.aborted) await clock.sleep(followPauseMs, signal).catch(() => undefined);
    }
  }

  /** Has the record say where agents are taken from. */
  async declare(name: string, source: RepositorySource, signal: AbortSignal): Promise<void> {
    for (;;) {
      const { revision, source: known } = this.#state;
      const isSame = known.gitUrl === source.gitUrl && known.branch === source.branch && known.isRoot === source.isRoot;
      if (revision > 0 && isSame) return;
      const said = revision === 0 ? fact('repositoryAdded', { name, source }) : fact('repositoryChanged', { source });
      if (await this.append(this.#state, [said], signal)) return;
    }
  }

  /** Appends to what was known at a state. False if the record has moved on; then it is known how. */
  async append({ revision }: AgentRepository, facts: readonly Fact[], signal: AbortSignal): Promise<boolean> {
    const { clock, instance, log, newId, random } = this.#ports;
    const actor: Actor = { kind: 'system', id: instance };
    const append: Append = {
      ...{ stream: this.#stream, expectedRevision: revision, facts, actor, correlationId: '', causationId: '' },
      ...{ key: newId(), now: clock.now(), eventIds: facts.map(() => newId()) },
    };
    const outcome = await appendUntilKnown(log, append, clock, random, signal);
    if (outcome.kind !== 'conflict') {
      for (const event of recordedOf(append)) this.#take(event);
      return true;
    }
    for (const event of outcome.unseen) this.#take(event);
    if (this.#state.revision < outcome.currentRevision) await this.load(signal);
    return false;
  }

  /** What is appended here comes back from the log as well. */
  #take(event: Parameters<typeof evolveRepository>[1]): void {
    if (event.revision === this.#state.revision + 1) this.#state = evolveRepository(this.#state, event);
  }
}
