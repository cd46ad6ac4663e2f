import { z } from 'zod';
import { count, time } from './scalars.ts';

const syncError = z.object({
  message: z.string(),
  file_path: z.string(),
  line: z.int().min(1).nullable(),
  column: z.int().min(1).nullable(),
  error_type: z.string(),
  timestamp: time().nullable(),
});

/** A repository that agents are taken from. */
const repository = z
  .object({
    name: z.string(),
    git_url: z.string(),
    branch: z.string(),
    is_root: z.boolean(),
    is_active: z.boolean(),
    read_only: z.literal(true),
    sync_interval: z.string(),
    auth_type: z.string(),
    takes_webhooks: z.boolean(),
    is_configured: z.boolean().describe('It is one of the configuration'),
    worktree: z.boolean(),
    last_sync_status: z.enum(['NEVER_SYNCED', 'IN_PROGRESS', 'SUCCESS', 'FAILED']),
    last_sync_commit: z.string().nullable(),
    last_sync_at: time().nullable(),
    last_failure: z.object({ message: z.string(), error_type: z.string(), timestamp: time().nullable() }).nullable(),
    agent_count: count(),
    sync_errors: z.array(syncError),
    sync_error_count: count(),
  })
  .meta({ id: 'Repository' });

/** The repositories, in the order in which names are looked up. */
export const repositoryList = z.object({ repositories: z.array(repository) });

/** A repository by itself. */
export const repositoryAnswer = z.object({ repository: repository.nullable() });

/** What a webhook came to. */
export const webhookAnswer = z.object({ syncs: z.boolean(), reason: z.string().optional() });

const ref = z.object({ name: z.string(), git_commit: z.string(), timestamp: time().nullable() });

/** Branches and tags. */
export const branchList = z.object({ branches: z.array(ref), tags: z.array(ref), more: z.boolean() });
