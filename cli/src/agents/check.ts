import { type Problem, problemLine } from '@stopgo/agent-files';
import { visibleJson } from '@stopgo/core';
import { counted, oneLine } from '../shown.ts';
import { namedRoot, readTree, rootOf, shownPath } from './working-tree.ts';

/**
 * `stopgo agents check`: what is wrong, or odd, in agent files, one line each. Needs neither git nor the platform. Gives whether all of them can
 * be used.
 */
export function checkAgents(
  paths: readonly string[],
  { root, json }: { readonly root: string | undefined; readonly json: boolean },
  print: (line: string) => void,
): boolean {
  const byRoot = new Map<string, string[]>();
  for (const path of paths) {
    const at = root === undefined ? rootOf(path) : namedRoot(root);
    byRoot.set(at, [...(byRoot.get(at) ?? []), path]);
  }
  const counts = { agents: 0, problems: 0, warnings: 0 };
  for (const [at, below] of byRoot) {
    const { agents, problems, warnings } = readTree(at, below);
    const shown = (one: Problem): Problem => ({ ...one, path: shownPath(at, one.path) });
    for (const one of problems) print(json ? lineOfJson(shown(one), 'error') : oneLine(problemLine(shown(one))));
    for (const one of warnings)
      print(
        json
          ? lineOfJson(shown(one), 'warning')
          : oneLine(problemLine({ ...shown(one), message: `warning: ${one.message}` })),
      );
    counts.agents += [...agents.values()].filter(({ reading }) => reading.agent !== undefined).length;
    counts.problems += problems.length;
    counts.warnings += warnings.length;
  }
  if (!json)
    print(
      `${counted(counts.agents, 'agent')}, ${counted(counts.problems, 'problem')}, ${counted(counts.warnings, 'warning')}`,
    );
  return counts.problems === 0;
}

function lineOfJson(problem: Problem, severity: 'error' | 'warning'): string {
  return visibleJson(JSON.stringify({ severity, ...problem }));
}
