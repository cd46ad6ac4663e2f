import fc from 'fast-check';
import { expect, test } from 'vitest';
import { boxWidth, fitted, type Item, layoutOf } from '../../app/run/layout.ts';

/** Items in the order in which a run has them: each above those that it began. */
const tree = (parents: readonly number[]): Item[] => {
  const below = new Map<number, number[]>();
  for (const [index, parent] of parents.entries()) {
    const id = index + 1;
    below.set(parent % id, [...(below.get(parent % id) ?? []), id]);
  }
  const items: Item[] = [];
  const add = (id: number, depth: number, parent?: number): void => {
    items.push({
      id: `${id}`,
      depth,
      height: 50 + (id % 3) * 10,
      ...(parent === undefined ? {} : { parent: `${parent}` }),
    });
    for (const child of below.get(id) ?? []) add(child, depth + 1, id);
  };
  add(0, 0);
  return items;
};
const trees = fc.array(fc.nat(), { maxLength: 199 }).map(tree);
const widths = fc.integer({ min: 200, max: 2_400 });

test('no two boxes overlap, none lies outside, and each is right of the one that began it', () => {
  fc.assert(
    fc.property(trees, widths, (items, width) => {
      const { boxes, edges, width: wide, height } = layoutOf(items, width);
      expect(boxes.map(({ id }) => id)).toEqual(items.map(({ id }) => id));
      expect(edges).toHaveLength(items.length - 1);
      const byId = new Map(boxes.map((box) => [box.id, box]));
      for (const [index, one] of boxes.entries()) {
        const parent = byId.get(items[index]?.parent ?? '');
        if (parent !== undefined) {
          expect(one.x).toBeGreaterThan(parent.x);
          expect(one.y).toBeGreaterThanOrEqual(parent.y);
        }
        expect(one.x + one.width).toBeLessThanOrEqual(wide);
        expect(one.y + one.height).toBeLessThanOrEqual(height);
        for (const other of boxes.slice(index + 1)) {
          const isApart =
            one.x + one.width <= other.x ||
            other.x + other.width <= one.x ||
            one.y + one.height <= other.y ||
            other.y + other.height <= one.y;
          expect(isApart, `${one.id} and ${other.id}`).toBe(true);
        }
      }
    }),
    { numRuns: 60 },
  );
});

test('with room there is a column for each depth, and whoever began something stands beside the first of it', () => {
  // 0 has begun 1 and 3; 1 has begun 2.
  const { boxes } = layoutOf(tree([0, 1, 0]), 900);
  const [root, first, below, second] = boxes.map(({ x, y }) => ({ x, y }));
  expect([root?.y, first?.y, below?.y]).toEqual([0, 0, 0]);
  expect(second?.x).toBe(first?.x);
  expect(second?.y).toBeGreaterThan(0);
  expect(below?.x).toBeGreaterThan(first?.x ?? 0);
});

test('without room for its columns each box has a line of its own, in the order of the run, and nothing is wider than the page', () => {
  const { boxes, width } = layoutOf(tree([0, 1, 0]), boxWidth.min * 2);
  const lines = boxes.map(({ y }) => y);
  expect(lines).toEqual([...new Set(lines)].sort((one, other) => one - other));
  expect(width).toBeLessThanOrEqual(boxWidth.min * 2);
});

test.each([
  ['resources_add', 20, 'resources_add'],
  ['resources_add', 8, 'resourc…'],
  ['日本語の名前', 8, '日本語…'],
])('%s in room for %i letters is %s', (line, room, shown) => {
  expect(fitted(line, room)).toBe(shown);
});
