// Where the boxes of a run stand. Each is right of the one that began it, and below those that were asked for before it: so from left to
// right one reads who began what, and from top to bottom what came after what. Where that is too wide, each box has a line of its own.

/** A thing to place; those above it come before it, and all below it follow it at once. */
export type Item = { readonly id: string; readonly parent?: string; readonly depth: number; readonly height: number };

export type Box = {
  readonly id: string;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
};

/** A line from one box to another, as the path of an SVG. */
export type Edge = { readonly from: string; readonly to: string; readonly path: string };

export type Layout = {
  readonly boxes: readonly Box[];
  readonly edges: readonly Edge[];
  readonly width: number;
  readonly height: number;
};

export const boxWidth = { min: 196, max: 272 } as const;
const gap = { column: 40, row: 12 } as const;
/** Where lines meet a box, below its upper edge. */
const portY = 28;
const corner = 8;
/** How far a box is moved right of the one above, where each has a line of its own. */
const indent = { max: 26, min: 6 } as const;
/** A box that is alone in its line is not wider than this. */
const lineWidth = { min: 168, max: 460 } as const;

/** Places items in a width. Nothing overlaps; the layout may be wider than what is given where even that is too narrow. */
export function layoutOf(items: readonly Item[], width: number): Layout {
  const depth = items.reduce((most, item) => Math.max(most, item.depth), 0);
  const columns = depth + 1;
  const column = Math.floor((width - depth * gap.column) / columns);
  return column >= boxWidth.min ? inColumns(items, Math.min(column, boxWidth.max)) : inLines(items, width, depth);
}

/** A column for each depth. Whoever began something stands beside the first of it. */
function inColumns(items: readonly Item[], width: number): Layout {
  const boxes: Box[] = [];
  const ends = new Map<string, number>();
  let next = 0;
  for (const [index, { id, parent, depth, height }] of items.entries()) {
    // The first below another one stands beside it, all others below whatever stands already.
    const isFirst = parent !== undefined && items[index - 1]?.id === parent;
    const y = isFirst ? (boxes[index - 1]?.y ?? 0) : next;
    boxes.push({ id, x: depth * (width + gap.column), y, width, height });
    next = Math.max(next, y + height + gap.row);
    ends.set(id, y);
  }
  return finished(items, boxes, ({ x, y, width: wide }, to) => {
    const from = { x: x + wide, y: y + portY };
    const [endX, endY] = [to.x, to.y + portY];
    if (endY === from.y) return `M${from.x} ${from.y}H${endX}`;
    const middle = from.x + gap.column / 2;
    const turn = Math.min(corner, (endY - from.y) / 2);
    return `M${from.x} ${from.y}H${middle - turn}Q${middle} ${from.y} ${middle} ${from.y + turn}V${endY - turn}Q${middle} ${endY} ${middle + turn} ${endY}H${endX}`;
  });
}

/** A line for each. */
function inLines(items: readonly Item[], width: number, depth: number): Layout {
  const step = Math.max(indent.min, Math.min(indent.max, depth === 0 ? 0 : (width - lineWidth.min) / depth));
  let y = 0;
  const boxes = items.map((item): Box => {
    const x = Math.round(item.depth * step);
    const box = {
      id: item.id,
      x,
      y,
      width: Math.max(lineWidth.min, Math.min(lineWidth.max, width - x)),
      height: item.height,
    };
    y += item.height + gap.row;
    return box;
  });
  return finished(items, boxes, (from, to) => {
    const x = from.x + step / 2;
    const endY = to.y + portY;
    const turn = Math.min(corner, step / 2);
    return `M${x} ${from.y + from.height}V${endY - turn}Q${x} ${endY} ${x + turn} ${endY}H${to.x}`;
  });
}

function finished(items: readonly Item[], boxes: readonly Box[], pathOf: (from: Box, to: Box) => string): Layout {
  const byId = new Map(boxes.map((box) => [box.id, box]));
  const edges = items.flatMap(({ id, parent }): Edge[] => {
    const [from, to] = [byId.get(parent ?? ''), byId.get(id)];
    return from === undefined || to === undefined ? [] : [{ from: from.id, to: id, path: pathOf(from, to) }];
  });
  return {
    ...{ boxes, edges },
    width: boxes.reduce((most, box) => Math.max(most, box.x + box.width), 0),
    height: boxes.reduce((most, box) => Math.max(most, box.y + box.height), 0),
  };
}

const wide =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|[\u{1f000}-\u{3fffd}]/u;

/** As much of a line as has room, with a mark where it is cut. `room` counts letters; those of some scripts take two. */
export function fitted(line: string, room: number): string {
  let used = 0;
  let kept = '';
  for (const character of line) {
    used += wide.test(character) ? 2 : 1;
    if (used > room) return `${kept.slice(0, -1).trimEnd()}…`;
    kept += character;
  }
  return line;
}
