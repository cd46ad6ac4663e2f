import { formatDuration } from '@stopgo/core';
import { registry } from '@stopgo/proto';
import type { Answer } from '../json-text.ts';
import { rfc3339 } from './time.ts';

const statusWords: Readonly<Record<registry.SyncStatus, string>> = {
  [registry.SyncStatus.UNSPECIFIED]: 'NEVER_SYNCED',
  [registry.SyncStatus.NEVER_SYNCED]: 'NEVER_SYNCED',
  [registry.SyncStatus.IN_PROGRESS]: 'IN_PROGRESS',
  [registry.SyncStatus.SUCCESS]: 'SUCCESS',
  [registry.SyncStatus.FAILED]: 'FAILED',
};

/** A repository that agents are taken from. */
export function renderRepository(repository: registry.Repository): Answer {
  const { name, gitUrl, branch, isRoot, isActive, status, commit, syncedAt } = repository;
  return {
    ...{ name, git_url: gitUrl, branch, is_root: isRoot, is_active: isActive, read_only: true },
    sync_interval: formatDuration(repository.syncIntervalMs),
    ...{ auth_type: repository.authType, takes_webhooks: repository.takesWebhooks },
    ...{ is_configured: repository.isConfigured, worktree: repository.isWorkTree },
    last_sync_status: statusWords[status],
    last_sync_commit: commit === '' ? null : commit,
    last_sync_at: rfc3339(syncedAt) ?? null,
    last_failure:
      repository.failure === ''
        ? null
        : {
            message: repository.failure,
            error_type: repository.failureKind,
            timestamp: rfc3339(repository.failedAt) ?? null,
          },
    agent_count: repository.agentCount,
    sync_errors: repository.errors.map(({ path, error, time }) => ({
      message: error?.message ?? '',
      file_path: path,
      line: error?.line === 0 ? null : (error?.line ?? null),
      column: error?.column === 0 ? null : (error?.column ?? null),
      error_type: error?.kind ?? '',
      timestamp: rfc3339(time) ?? null,
    })),
    sync_error_count: repository.errorCount,
  };
}

/** An agent of a repository, as lists show it. */
export function renderAgent(agent: registry.Agent | undefined): Answer {
  return {
    name: agent?.name,
    description: agent?.description,
    version: agent?.version === '' ? null : agent?.version,
    tags: agent?.tags,
    repository: agent?.repository,
    file_path: agent?.path,
    is_namespaced: agent?.namespaced,
    git_commit: agent?.commit,
    last_modified: rfc3339(agent?.modifiedAt) ?? null,
    definition_digest: agent?.definitionDigest,
  };
}

/** A commit of an agent's history. */
export function renderCommit({ hash, message, author, time, changedFiles }: registry.Commit): Answer {
  return { hash, message, author, timestamp: rfc3339(time) ?? null, changed_files: changedFiles };
}

/** What differs in the file of an agent. */
export function renderDiff(diff: registry.DiffAgentResponse): Answer {
  const { repository, fromCommit, fromPath, toCommit, toPath, patch } = diff;
  return {
    repository,
    from: fromCommit === '' ? null : { git_commit: fromCommit, file_path: fromPath },
    to: { git_commit: toCommit, file_path: toPath },
    patch,
  };
}

/** A branch or a tag. */
export function renderRef({ name, commit, time }: registry.GitRef): Answer {
  return { name, git_commit: commit, timestamp: rfc3339(time) ?? null };
}
