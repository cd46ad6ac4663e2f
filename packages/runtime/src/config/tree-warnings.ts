import { type Problem, problemAt, quote, type YamlPath } from './problem.ts';
import type { FileShape, NodeShape } from './schema.ts';

/** How a prompt names a key of the session state, as the run interpreter reads it. */
const placeholder = /\{(\w+)\}/g;

/** What the author of a tree should know: placeholders that stay as they are written, keys that nothing can name. */
export function treeWarnings(file: Pick<FileShape, 'agent' | 'prompt'>): Problem[] {
  if (file.agent === undefined || file.agent.type === 'llm') return [];
  return [...keyWarnings(file.agent, ['agent']), ...placeholderWarnings(file.agent, ['agent'], new Set(), file)];
}

function keyWarnings(node: NodeShape, path: YamlPath): Problem[] {
  const key = node.output_key;
  const own =
    key === undefined || /^\w+$/.test(key)
      ? []
      : [problemAt([...path, 'output_key'], `no prompt can name ${quote(key)}; use letters, digits and _ only`)];
  return [...own, ...childrenOf(node).flatMap((child, index) => keyWarnings(child, [...path, 'agents', index]))];
}

/** `written`: the keys that nodes may have written by the time that this one starts. */
function placeholderWarnings(
  node: NodeShape,
  path: YamlPath,
  written: ReadonlySet<string>,
  file: Pick<FileShape, 'prompt'>,
): Problem[] {
  const children = childrenOf(node);
  const inside = (known: ReadonlySet<string>, child: NodeShape, index: number): Problem[] =>
    placeholderWarnings(child, [...path, 'agents', index], known, file);
  switch (node.type) {
    case 'llm':
    case 'a2a': {
      const prompt = node.prompt ?? (node.type === 'llm' ? file.prompt : '');
      const place = node.prompt === undefined ? path : [...path, 'prompt'];
      const keys = new Set([...prompt.matchAll(placeholder)].map((match) => match[1] ?? ''));
      return [...keys]
        .filter((key) => !written.has(key))
        .map((key) => problemAt(place, `no node before this one writes {${key}}; it stays in the prompt as it is`));
    }
    case 'parallel':
      return children.flatMap((child, index) => inside(written, child, index));
    case 'loop': {
      // From the second iteration on, every node in the loop comes before every other.
      const known = new Set([...written, ...children.flatMap(keysIn)]);
      return children.flatMap((child, index) => inside(known, child, index));
    }
    case 'sequential':
      return children.flatMap((child, index) =>
        inside(new Set([...written, ...children.slice(0, index).flatMap(keysIn)]), child, index),
      );
  }
}

function keysIn(node: NodeShape): string[] {
  const own = node.output_key === undefined ? [] : [node.output_key];
  return [...own, ...childrenOf(node).flatMap(keysIn)];
}

const childrenOf = (node: NodeShape): readonly NodeShape[] => node.agents ?? [];
