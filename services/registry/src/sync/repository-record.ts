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
    for (;;) {
      const { state } = this;
      // A repository that was never declared, or holds nothing, has nothing to take back.
      if (state.revision === 0 || (state.files.size === 0 && state.commit === '' && state.failure === undefined))
        return;
      if (await this.append(state, [fact('repositoryRemoved', {})], signal)) return;
    }
  }
}
