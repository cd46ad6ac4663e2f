import type { AgentSource, Spent } from '@stopgo/core';
import type { Answer } from '../json-text.ts';
import { shownLine } from './shown.ts';

/** What models' answers have used. Costs are whole numbers of nano-dollars, and left out where no price is known. */
export function renderUsage({ inputTokens, outputTokens, costNanoUsd, unpriced }: Spent): Answer {
  return {
    input_tokens: inputTokens,
    output_tokens: outputTokens,
    cost_nano_usd: costNanoUsd,
    unpriced_answers: unpriced === 0 ? undefined : unpriced,
  };
}

/** The file in git, at its commit, that an agent is; `pinned` if somebody asked for that commit, and another one was synced. */
export const renderSource = ({
  repository,
  commit,
  path,
  pinned,
}: Omit<AgentSource, 'pinned'> & { readonly pinned?: boolean }): Answer => ({
  repository: shownLine(repository),
  git_commit: commit,
  file_path: shownLine(path),
  pinned: pinned || undefined,
});
