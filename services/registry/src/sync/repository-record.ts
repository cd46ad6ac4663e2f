import {
  type AgentRepository,
  evolveRepository,
  fact,
  noRepository,
  type RepositorySource,
  repositoryStream,
} from '@stopgo/core';
import type { DefinitionPorts } from '@stopgo/log';
import { FollowedStream } from './followed-stream.ts';

/** What is on the record of one repository. */
export class RepositoryRecord extends FollowedStream<AgentRepository> {
  constructor(ports: DefinitionPorts, name: string) {
    super(ports, { stream: repositoryStream(name), initial: noRepository, evolve: evolveRepository });
  }

  /** Has the record say where agents are taken from. */
  async declare(name: string, source: RepositorySource, signal: AbortSignal): Promise<void> {
    for (;;) {
      const { revision, source: known } = this.state;
      const isSame = known.gitUrl === source.gitUrl && known.branch === source.branch && known.isRoot === source.isRoot;
      if (revision > 0 && isSame) return;
      const said = revision === 0 ? fact('repositoryAdded', { name, source }) : fact('repositoryChanged', { source });
      if (await this.append(this.state, [said], signal)) return;
    }
  }

  /** Has the record say that nothing of the repository is offered any more. */
  async remove(signal: AbortSignal): Promise<void> {
    while (!(await this.removeAsKnown(signal)));
  }

  /** The same, unless the record has moved on since it was read: then nothing is done, and the answer is false. */
  async removeAsKnown(signal: AbortSignal): Promise<boolean> {
    const { state } = this;
    const { revision, files, commit, failure } = state;
    // A repository that was never declared, or holds nothing, has nothing to take back.
    if (revision === 0 || (files.size === 0 && commit === '' && failure === undefined)) return true;
    return this.append(state, [fact('repositoryRemoved', {})], signal);
  }
}
