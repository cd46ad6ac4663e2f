import { visibleJson } from '@stopgo/core';
import { counted, inPassing, oneLine, shellWord } from '../shown.ts';
import { namedRoot, readTree, shownPath } from './working-tree.ts';

/** `stopgo agents list`: the agents of a working tree, one line each, in the order of their names. `say`: what could not be read. */
export function listAgents(
  folder: string,
  json: boolean,
  print: (line: string) => void,
  say: (line: string) => void,
): void {
  const root = namedRoot(folder);
  const { agents, problems } = readTree(root, [root]);
  const found = [...agents.values()].flatMap(({ path, place, reading: { agent } }) =>
    agent === undefined ? [] : [{ ...agent, path: shownPath(root, path), name: place.name }],
  );
  const width = Math.max(0, ...found.map(({ name }) => name.length));
  for (const agent of found.toSorted((one, other) => (one.name < other.name ? -1 : 1))) {
    const { name, title, description, version, tags, path, format } = agent;
    if (json)
      print(visibleJson(JSON.stringify({ name, title, description, ...(version && { version }), tags, path, format })));
    else print(oneLine(`${name.padEnd(width)}  ${inPassing(description)}`));
  }
  if (problems.length > 0) say(`${counted(problems.length, 'problem')}: stopgo agents check ${shellWord(folder)}`);
}
