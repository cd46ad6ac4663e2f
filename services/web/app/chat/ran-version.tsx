import type { AgentSource } from '@stopgo/client';
import { Line } from '../ui/text.tsx';

const shownDigits = 12;

/** Which version of an agent from git the latest run is of. */
export function RanVersion({ source }: { readonly source: AgentSource | undefined }) {
  if (source?.git_commit === undefined) return null;
  const { git_commit: commit, file_path: path = '', pinned = false } = source;
  return (
    <p className="head-note ran-version">
      <Line text={path} /> <code title={commit}>{commit.slice(0, shownDigits)}</code>
      {pinned ? <span className="tag wait">not the newest version</span> : null}
    </p>
  );
}
