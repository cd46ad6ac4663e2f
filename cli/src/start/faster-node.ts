/** The first version of Node that takes clearly less CPU for the same work: docs/performance.md. */
const fasterMajor = 24;

/** Names a faster Node than the one of this version (`20.19.0`), as a sentence; undefined if none would help. */
export function fasterNode(version: string): string | undefined {
  const major = Number(version.split('.')[0]);
  if (major >= fasterMajor) return undefined;
  return `this is Node ${version}; Node ${fasterMajor} or newer takes about a third less CPU for the same work`;
}
