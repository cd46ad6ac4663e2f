import {
  type AgentRepository,
  emptyRepositoryList,
  evolveRepository,
  evolveRepositoryList,
  type Fact,
  fact,
  noRepository,
  type RecordedFact,
  type RepositoryList,
  repositoryListStream,
  repositoryStream,
  sha256Hex,
} from '@stopgo/core';

const main = { gitUrl: 'https://git.example.org/agents.git', branch: 'main', isRoot: true };
const commitOf = (one: string) => sha256Hex(one).slice(0, 40);
const frame = (commit: string) => ({ branch: 'main', commit: commitOf(commit), reader: 'reader-1' });
const agent = (path: string, description: string) => ({
  ...{ path, agentName: path.replace('/prompt.md', ''), agentDigest: sha256Hex(description), description },
  ...{ version: '1.0.0', tags: ['bills'], errors: [] },
});
const broken = (path: string) => ({
  path,
  errors: [{ message: 'the frontmatter is no YAML', line: 3, column: 14, kind: 'frontmatter' }],
});

/** What happens to a repository: each kind of event, also in parts. */
const ofRepository: readonly Fact[] = [
  fact('repositoryAdded', { name: 'agents', source: main }),
  fact('repositorySynced', {
    ...frame('first'),
    files: [agent('support/prompt.md', 'Supports'), broken('broken/prompt.md')],
  }),
  fact('repositorySyncFailed', { message: 'the server does not answer; it is tried again', kind: 'unreachable' }),
  fact('repositorySynced', { ...frame('second'), files: [agent('sales/prompt.md', 'Sells')], continues: true }),
  fact('repositorySynced', { ...frame('second'), files: [{ path: 'broken/prompt.md' }] }),
  fact('repositoryChanged', { source: { ...main, branch: 'next' } }),
  fact('repositoryChanged', { source: { ...main, branch: 'next', isRoot: false } }),
  fact('repositorySynced', { ...frame('third'), files: [agent('support/prompt.md', 'Supports everybody')] }),
  fact('repositoryRemoved', {}),
];

/** What people have kept. */
const ofList: readonly Fact[] = [
  fact('repositoryListed', {
    ...{ name: 'agents', source: main, syncIntervalMs: 300_000, isActive: true, authType: 'token', keyId: 'key-1' },
    ...{ sealedCredentials: new Uint8Array([1, 2, 3]), sealedWebhookSecret: new Uint8Array([4, 5]) },
  }),
  fact('repositoryListed', { name: 'other', source: main, syncIntervalMs: 1_000, authType: 'none' }),
  fact('repositoryListed', {
    ...{ name: 'agents', source: { ...main, branch: 'next' }, syncIntervalMs: 60_000, isActive: false },
    authType: 'ssh-key',
  }),
  fact('repositoryUnlisted', { name: 'other' }),
];

const recorded = (stream: string, facts: readonly Fact[]): readonly RecordedFact[] =>
  facts.map((one, index) => ({
    ...{ stream, revision: index + 1, eventId: '', time: 1_000 * index, causationId: '', correlationId: '' },
    ...{ actor: { kind: 'system', id: 'registry-1' } as const, fact: one },
  }));

/** The streams of a repository and of the list, with every kind of event. */
export const toldOfRepositories = (): readonly RecordedFact[] => [
  ...recorded(repositoryStream('agents'), ofRepository),
  ...recorded(repositoryListStream, ofList),
];

/** What the code makes of the events of both streams so far. */
export class Folds {
  repository: AgentRepository = noRepository;
  list: RepositoryList = emptyRepositoryList;

  /** The state of the event's stream after it, as plain data. */
  add(event: RecordedFact): unknown {
    if (event.stream === repositoryListStream) {
      this.list = evolveRepositoryList(this.list, event);
      const all = [...this.list.repositories.values()];
      return {
        ...this.list,
        repositories: all.map((one) => ({
          ...one,
          sealedCredentials: [...one.sealedCredentials],
          sealedWebhookSecret: [...one.sealedWebhookSecret],
        })),
      };
    }
    this.repository = evolveRepository(this.repository, event);
    return { ...this.repository, files: [...this.repository.files.values()] };
  }
}
