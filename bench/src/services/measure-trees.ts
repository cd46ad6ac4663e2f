import { measureTree, type TreeFigures, type TreeSizes } from '../measure-trees.ts';
import type { Model } from '../platform.ts';
import { treeShapes } from '../tree-shapes.ts';
import { usageOf } from './parts.ts';
import { type Shape, startServices } from './platform.ts';

/** Turns of each tree on services of their own; CPU is that of all of them and of nats-server. */
export async function measureTreesOfServices(
  model: Model,
  shape: Shape,
  sizes: TreeSizes,
  say: (line: string) => void,
): Promise<readonly TreeFigures[]> {
  const figures: TreeFigures[] = [];
  for (const tree of treeShapes) {
    say(tree.name);
    const platform = await startServices(model.address, shape, 'info', { agent: tree.agent });
    const cpu = (): number => usageOf(platform.parts()).reduce((sum, one) => sum + one.cpuSeconds, 0);
    try {
      figures.push(await measureTree(platform.address, tree, sizes, cpu));
    } finally {
      await platform.remove();
    }
  }
  return figures;
}
