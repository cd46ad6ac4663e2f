import type { NodeProgress, Picture, PictureNode } from '@stopgo/core';
import { howFar, label, runLines, timeText, tookText, waitsFor, whatItIs } from './words.ts';

/** A line of the table, or one that stands below a node by itself. */
type Row = { readonly cells: readonly string[] } | { readonly below: string };

const heading = ['NODE', 'STATUS', 'STARTED', 'TOOK', 'IN', 'OUT', 'WHAT IT IS'] as const;
/** Columns of figures, which stand at the right. */
const figures: readonly (typeof heading)[number][] = ['TOOK', 'IN', 'OUT'];

/** The picture as lines for a terminal: the tree at the left, what there is to say of each node beside it. */
export function textPicture({ agent, root, run }: Picture): string[] {
  const rows: Row[] = rowsOf(root, '', '');
  if (run === undefined) return table(rows);
  return [...runLines(agent, run, root), '', ...table([{ cells: heading }, ...rows])];
}

/** `first` stands before the node's own line, `rest` before those below it. */
function rowsOf({ node, children, progress }: PictureNode, first: string, rest: string): Row[] {
  const cells = [
    `${first}${label(node.name)}`,
    ...(progress === undefined ? [] : progressCells(progress)),
    whatItIs(node, progress?.models),
  ];
  const trunk = children.length > 0 ? '│  ' : '   ';
  const waits = (progress?.waits ?? []).map((wait): Row => ({ below: `${rest}${trunk}${waitsFor(wait)}` }));
  const below = children.flatMap((child, index) => {
    const isLast = index === children.length - 1;
    return rowsOf(child, `${rest}${isLast ? '└─ ' : '├─ '}`, `${rest}${isLast ? '   ' : '│  '}`);
  });
  return [{ cells }, ...waits, ...below];
}

function progressCells(progress: NodeProgress): string[] {
  const { startedAt, tookMs, inputTokens, outputTokens } = progress;
  const begun = startedAt === undefined ? ['', ''] : [timeText(startedAt), tookText(tookMs)];
  return [howFar(progress), ...begun, String(inputTokens), String(outputTokens)];
}

function table(rows: readonly Row[]): string[] {
  const widths = heading.map((_, column) =>
    Math.max(0, ...rows.map((row) => ('cells' in row ? widthOf(row.cells[column] ?? '') : 0))),
  );
  return rows.map((row) => {
    if ('below' in row) return row.below;
    const cells = row.cells.map((cell, column) => {
      const space = ' '.repeat((widths[column] ?? 0) - widthOf(cell));
      return figures.some((one) => one === heading[column]) ? space + cell : cell + space;
    });
    return cells.join('  ').trimEnd();
  });
}

function widthOf(text: string): number {
  return [...text].length;
}
