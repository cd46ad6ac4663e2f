import { z } from 'zod';
import { count } from './scalars.ts';

/** What models' answers have used. */
export const usage = z
  .object({
    input_tokens: count(),
    output_tokens: count(),
    cost_nano_usd: count().optional().describe('In nano-dollars; absent where no price is known'),
    unpriced_answers: count().optional().describe('Answers whose price is not known; absent: none'),
  })
  .meta({ id: 'Usage' });

/** The file in git, at its commit, that an agent is. */
export const agentSource = z
  .object({
    repository: z.string(),
    git_commit: z.string(),
    file_path: z.string(),
    pinned: z.literal(true).optional().describe('Somebody asked for this commit, and another one was synced'),
  })
  .meta({ id: 'AgentSource' });
