import { agentAnswer, agentDiff, agentHistory, agentPage } from '../api/agent.ts';
import { memoryAnswer, memoryPage, removedMemory } from '../api/memory.ts';
import { setMemory } from '../api/memory-request.ts';
import * as queries from '../api/query.ts';
import { branchList, repositoryAnswer, repositoryList, webhookAnswer } from '../api/repository.ts';
import { addRepository, changeRepository } from '../api/repository-request.ts';
import { type Endpoint, errorExample, jsonType } from './endpoint.ts';

const agent = {
  name: 'support/billing',
  description: 'Answers questions about bills',
  version: '1.2.0',
  tags: ['support'],
  repository: 'main-agents',
  file_path: 'support/billing/prompt.md',
  is_namespaced: false,
  git_commit: '4f0c1b6f9c8d0f5a5f0b4b6a0e7d1c2b3a495867',
  last_modified: '2026-11-26T10:00:00.000Z',
  definition_digest: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
};

const repository = {
  name: 'main-agents',
  git_url: 'https://github.com/company/main-agents.git',
  branch: 'production',
  is_root: true,
  is_active: true,
  read_only: true,
  sync_interval: '5m',
  auth_type: 'token',
  takes_webhooks: true,
  is_configured: false,
  worktree: false,
  last_sync_status: 'SUCCESS',
  last_sync_commit: agent.git_commit,
  last_sync_at: '2026-11-26T10:00:00.000Z',
  last_failure: null,
  agent_count: 12,
  sync_errors: [
    {
      message: 'the frontmatter is no YAML',
      file_path: 'sales/pr/prompt.md',
      line: 3,
      column: 14,
      error_type: 'frontmatter',
      timestamp: '2026-11-26T10:00:00.000Z',
    },
  ],
  sync_error_count: 1,
};

const commit = {
  hash: agent.git_commit,
  message: 'Say when bills are due',
  author: 'Ana',
  timestamp: '2026-11-26T09:59:00.000Z',
  changed_files: ['support/billing/prompt.md'],
};

const branch = { name: 'production', git_commit: agent.git_commit, timestamp: commit.timestamp };

const notConfigured = {
  description: 'There is none of that name, or agents are taken from no repository.',
  example: errorExample('there is no agent suport/billing; did you mean support/billing?'),
};

const memory = {
  ...{ key: 'customer 7', agent: agent.name, value: { name: 'Ada', orders: [789] }, expires_at: null },
  created_at: '2026-11-26T10:00:00.000Z',
  saved_at: '2026-11-26T10:05:00.000Z',
  saved_by: { kind: 'agent', id: agent.name, claimed: false },
  conversation_id: 'c0a8f6de-7b5c-4b43-8a39-0d4c1f2d7e11',
  run_id: '5a0de0b5-5f0a-4f0e-9c53-6a1f0f6f3b55',
  step_id: 'root',
  revision: 7,
};

const noMemory = {
  description: 'There is nothing under the key.',
  example: errorExample('there is no memory "customer 8"; there is "customer 7"'),
};

const changedMeanwhile = {
  description: 'If-Match or If-None-Match does not hold.',
  example: errorExample(
    'the memory "customer 7" has been changed: it has revision 9 now, and revision 7 was expected; look at it and decide anew',
  ),
};

/** What agents remember from one run to the next. */
const memoryEndpoints: readonly Endpoint[] = [
  {
    method: 'GET',
    path: '/agents/*name/memories',
    query: queries.listMemories,
    summary: 'What an agent remembers',
    description:
      'By key. ?query= keeps those that hold each of its words, in the key or in the value; ?limit= and ?cursor= give pages. An agent whose own name ends in memories is shown at /agents/…%2Fmemories.',
    responses: { '200': { schema: memoryPage, description: 'A page.', example: { memories: [memory], total: 1 } } },
  },
  {
    method: 'GET',
    path: '/agents/*name/memories/:key',
    summary: 'What an agent remembers under a key',
    description: 'A slash in the key is written %2F. The ETag of the answer is its revision.',
    responses: {
      '200': { schema: memoryAnswer, description: 'The value, and who saved it.', example: { memory } },
      '404': noMemory,
    },
  },
  {
    method: 'PUT',
    path: '/agents/*name/memories/:key',
    headers: ['If-Match', 'If-None-Match'],
    summary: 'Save something in the memory of an agent',
    description:
      'For administrators. The value may be any JSON of at most 64 KiB. If-Match with an ETag changes only what has not been changed since, If-None-Match: * only saves what is new. Who saved it is on the record.',
    request: {
      content_type: jsonType,
      schema: setMemory,
      example: { value: memory.value, expires_at: '2027-01-31T12:00:00Z' },
    },
    responses: {
      '200': {
        schema: memoryAnswer,
        description: 'There was something under the key; it is as shown now.',
        example: { memory },
      },
      '201': { schema: memoryAnswer, description: 'It is new.', example: { memory } },
      '404': notConfigured,
      '412': changedMeanwhile,
      '429': {
        description: 'The agent remembers as much as it may: 1,000 keys and 1 MiB.',
        example: errorExample('1000 keys are remembered already, which is the most; save it under one of them'),
      },
    },
  },
  {
    method: 'DELETE',
    path: '/agents/*name/memories/:key',
    headers: ['If-Match'],
    summary: 'Have an agent forget something',
    description:
      'For administrators; If-Match as with PUT. No agent loads it any more, and nobody is shown it here. The log keeps what was saved, and runs the results of the calls that loaded it.',
    responses: {
      '200': { schema: removedMemory, description: 'It is forgotten.', example: { removed: memory.key } },
      '404': noMemory,
      '412': changedMeanwhile,
    },
  },
];

const isOfConfiguration = {
  description: 'It is one of the configuration.',
  example: errorExample(
    'the repository main-agents is one of "agent_repositories" in the configuration: change it there, and restart',
  ),
};

/** Agents that are taken from git repositories. */
export const agentEndpoints: readonly Endpoint[] = [
  ...memoryEndpoints,
  {
    method: 'GET',
    path: '/repositories',
    summary: 'Repositories of agents',
    description:
      'In the order in which names are looked up, with what is wrong with single files: one bad file harms no other.',
    responses: {
      '200': { schema: repositoryList, description: 'The repositories.', example: { repositories: [repository] } },
    },
  },
  {
    method: 'POST',
    path: '/repositories',
    summary: 'Add a repository',
    description:
      'For administrators. It is kept from now on beside those of the configuration, and synced in the background. Secrets are sealed, and never shown.',
    request: {
      content_type: jsonType,
      schema: addRepository,
      example: { name: 'main-agents', git_url: repository.git_url, is_root: true, branch: 'production' },
    },
    responses: {
      '201': {
        schema: repositoryAnswer,
        description: 'It is kept.',
        example: { repository: { ...repository, last_sync_status: 'NEVER_SYNCED' } },
      },
      '400': {
        description: 'It cannot be kept.',
        example: errorExample('git_url names a helper program (ext::), which is never run; use https or ssh'),
      },
      '409': {
        description: 'The name is taken.',
        example: errorExample('there is a repository main-agents; change it, or choose another name'),
      },
    },
  },
  {
    method: 'PATCH',
    path: '/repositories/:name',
    summary: 'Change a repository',
    description:
      'For administrators. What is not named stays as it is; another branch is synced at once. With another address it is another repository: remove it, and add that.',
    request: { content_type: jsonType, schema: changeRepository, example: { branch: 'next', sync_interval: '1m' } },
    responses: {
      '200': {
        schema: repositoryAnswer,
        description: 'As it is kept now.',
        example: { repository: { ...repository, branch: 'next' } },
      },
      '404': notConfigured,
      '409': isOfConfiguration,
    },
  },
  {
    method: 'DELETE',
    path: '/repositories/:name',
    summary: 'Remove a repository',
    description: 'For administrators. None of its agents are found from now on; runs that have begun go on.',
    responses: {
      '204': { description: 'It is not kept any more.', example: null, content_type: null },
      '404': notConfigured,
      '409': isOfConfiguration,
    },
  },
  {
    method: 'POST',
    path: '/repositories/:name/sync',
    summary: 'Sync a repository now',
    description: 'Fetches it and takes up what its branch holds, and answers then. For administrators.',
    responses: {
      '200': { schema: repositoryAnswer, description: 'As the repository is now.', example: { repository } },
      '409': {
        description: 'It could not be synced; the agents that are known stay usable.',
        example: errorExample(
          'the repository main-agents cannot be synced: there is no branch production; it has main',
        ),
      },
      '404': notConfigured,
    },
  },
  {
    method: 'POST',
    path: '/repositories/:name/webhook',
    isOpen: true,
    summary: 'A webhook of the host of a repository',
    description:
      'For GitHub, GitLab and Gitea (also Forgejo), with the secret that webhook_secret of the repository names: X-Hub-Signature-256, X-Gitea-Signature or X-Gitlab-Token proves it, and nobody signs in. A push to the branch has the repository synced, in the background.',
    responses: {
      '202': {
        schema: webhookAnswer,
        description: 'A sync begins, or follows on the one that is under way.',
        example: { syncs: true },
      },
      '200': {
        schema: webhookAnswer,
        description: 'It is proven, and there is nothing to sync.',
        example: {
          syncs: false,
          reason: 'the push is to refs/heads/next; agents are taken from the branch production',
        },
      },
      '403': {
        description: 'It is not proven.',
        example: errorExample(
          'the webhook is not proven: X-Hub-Signature-256, X-Gitea-Signature or X-Gitlab-Token must be made with the secret that "webhook_secret" names',
        ),
      },
      '404': {
        description: 'There is no such repository, or it has no secret.',
        example: errorExample(
          'no webhooks are taken here for a repository of this name: "webhook_secret" of one of "agent_repositories" has them taken',
        ),
      },
    },
  },
  {
    method: 'GET',
    path: '/repositories/:name/branches',
    summary: 'Branches and tags of a repository',
    description: 'By name, as of the latest fetch, with the commits that they point to; at most 1,000 of each.',
    responses: {
      '200': {
        schema: branchList,
        description: 'Branches and tags.',
        example: { branches: [branch], tags: [{ ...branch, name: 'v1.2' }], more: false },
      },
      '404': notConfigured,
    },
  },
  {
    method: 'GET',
    path: '/agents',
    query: queries.listAgents,
    summary: 'Agents of repositories',
    description:
      'By name. ?q= keeps those whose name, description or tags hold each of its words, ?repository= those of one repository; ?limit= and ?cursor= give pages.',
    responses: {
      '200': { schema: agentPage, description: 'A page of agents.', example: { agents: [agent], total: 1 } },
    },
  },
  {
    method: 'GET',
    path: '/agents/*name',
    query: queries.getAgent,
    summary: 'One agent',
    description:
      'With its definition. The name may hold slashes. ?commit= shows it at a commit, a branch or a tag; ?history=10 shows as many of the latest commits that changed it as well.',
    responses: {
      '200': {
        schema: agentAnswer,
        description: 'The agent.',
        example: {
          agent,
          definition: { name: 'support/billing', root: { type: 'llm', prompt: 'You answer…' } },
          history: [commit],
        },
      },
      '404': notConfigured,
    },
  },
  {
    method: 'GET',
    path: '/agents/*name/history',
    query: queries.agentHistory,
    summary: 'Commits that changed an agent',
    description:
      'The latest first: ?limit=10 of them, up to ?commit= (a commit, a branch or a tag). An agent whose own name ends in /history is named with %2F.',
    responses: {
      '200': { schema: agentHistory, description: 'Commits.', example: { history: [commit] } },
      '404': notConfigured,
    },
  },
  {
    method: 'GET',
    path: '/agents/*name/diff',
    query: queries.diffAgent,
    summary: 'What differs in an agent between two commits',
    description:
      'In its file, from ?from= to ?to= (commits, branches or tags). Without to: as it was synced last; without from: the commit before the latest that changed it, null if there was none.',
    responses: {
      '200': {
        schema: agentDiff,
        description: 'Lines in the unified format; none if both are the same.',
        example: {
          repository: 'main-agents',
          from: { git_commit: '0d1a26e67d8f5eaf1f6ba5c57fc3c7d91ac0fd1c', file_path: agent.file_path },
          to: { git_commit: agent.git_commit, file_path: agent.file_path },
          patch: '@@ -5 +5 @@\n-You answer.\n+You answer, and say when bills are due.\n',
        },
      },
      '404': notConfigured,
    },
  },
];
