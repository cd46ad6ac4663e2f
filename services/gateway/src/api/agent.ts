import { z } from 'zod';
import { count, nextCursor, time } from './scalars.ts';

/** An agent of a repository. */
const agent = z
  .object({
    name: z.string(),
    description: z.string(),
    version: z.string().nullable(),
    tags: z.array(z.string()),
    repository: z.string(),
    file_path: z.string(),
    is_namespaced: z.boolean(),
    git_commit: z.string(),
    last_modified: time().nullable(),
    definition_digest: z.string(),
  })
  .meta({ id: 'Agent' });

const commit = z
  .object({
    hash: z.string(),
    message: z.string(),
    author: z.string(),
    timestamp: time().nullable(),
    changed_files: z.array(z.string()),
  })
  .meta({ id: 'Commit' });

/** A page of agents. */
export const agentPage = z.object({ agents: z.array(agent), next_cursor: nextCursor(), total: count() });

/** An agent with its definition. */
export const agentAnswer = z.object({
  agent,
  definition: z.unknown().describe('As the platform works with it'),
  history: z.array(commit).optional(),
});

/** Commits that changed an agent. */
export const agentHistory = z.object({ history: z.array(commit) });

const place = z.object({ git_commit: z.string(), file_path: z.string() });

/** What differs in the file of an agent. */
export const agentDiff = z.object({
  repository: z.string(),
  from: place.nullable(),
  to: place,
  patch: z.string().describe('In the unified format'),
});
