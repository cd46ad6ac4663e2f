import { type Document, isAlias, isMap, isScalar, isSeq, type LineCounter } from 'yaml';
import type { YamlPath } from './problem.ts';

/**
 * Where a place of a file begins; of what is not there, where that which it belongs to begins. Line and column count from 1.
 */
export function positionOf(
  document: Document.Parsed,
  lines: LineCounter,
  place: YamlPath,
): { readonly line: number; readonly column: number } {
  let node: unknown = document.contents;
  let offset = 0;
  for (const part of place) {
    const inside: unknown = isAlias(node) ? node.resolve(document) : node;
    if (isMap(inside)) {
      const pair = inside.items.find(({ key }) => isScalar(key) && String(key.value) === String(part));
      if (pair === undefined) break;
      offset = beginOf(pair.key) ?? offset;
      node = pair.value;
    } else if (isSeq(inside)) {
      node = inside.items[Number(part)];
      offset = beginOf(node) ?? offset;
    } else break;
  }
  const { line, col } = lines.linePos(offset);
  // An empty file has no line.
  return { line: Math.max(1, line), column: Math.max(1, col) };
}

function beginOf(node: unknown): number | undefined {
  return isScalar(node) || isMap(node) || isSeq(node) || isAlias(node) ? node.range?.[0] : undefined;
}
