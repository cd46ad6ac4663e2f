import { posix } from 'node:path';
import { describe, expect, test } from 'vitest';
import { importsOf, type Repository, readRepository, sources, withFile } from './repository.ts';

/** Imports of types count: two files that need each other's types cannot be understood one after the other. */
function circles(repository: Repository): string[] {
  const files = new Map(sources(repository).filter(([path]) => /^[^/]+\/(?:[^/]+\/)?src\//.test(path)));
  const imports = new Map(
    [...files].map(([path, text]) => {
      const targets = importsOf(text)
        .filter((specifier) => specifier.startsWith('.'))
        .map((specifier) => posix.join(posix.dirname(path), specifier));
      return [path, targets.filter((target) => files.has(target) && target !== path)] as const;
    }),
  );
  return connectedIn(imports).map((circle) => circle.toSorted().join(' <-> '));
}

/** The folders of a package, in order: each imports from those before it only, and of the files beside them these. */
const rooms: Readonly<Record<string, { readonly beside: readonly string[]; readonly inOrder: readonly string[] }>> = {
  'packages/core/src': {
    beside: [],
    inOrder: [
      'text',
      'events',
      'repository',
      'connections',
      'memory',
      'people',
      'policy',
      'agent',
      'state',
      'calls',
      'interrupts',
      'run',
      'conversation',
      'views',
    ],
  },
  'services/mcp-bridge/src': {
    beside: ['bounds.ts', 'failures.ts', 'hidden-text.ts', 'line-budget.ts', 'unless-aborted.ts'],
    inOrder: ['questions', 'lines', 'credentials', 'connections', 'tools', 'results', 'session', 'servers', 'attempts'],
  },
  'services/orchestrator/src/driver': {
    beside: [],
    inOrder: ['handle', 'questions', 'delegations', 'calls', 'model', 'run'],
  },
};

/** Imports that go upwards: from a folder to a later one, or to what puts the folders together. */
function upwards(repository: Repository): string[] {
  return Object.entries(rooms).flatMap(([root, { beside, inOrder }]) =>
    sources(repository, `${root}/`).flatMap(([path, text]) => {
      const room = roomOf(path, root);
      if (room === undefined) return [];
      if (!inOrder.includes(room)) return [`${path} is in a folder that has no place in the order`];
      return importsOf(text)
        .filter((specifier) => specifier.startsWith('.'))
        .map((specifier) => posix.join(posix.dirname(path), specifier))
        .filter((target) => target.startsWith(`${root}/`))
        .filter((target) => {
          const other = roomOf(target, root);
          if (other === undefined) return !beside.includes(posix.basename(target));
          return inOrder.indexOf(other) > inOrder.indexOf(room);
        })
        .map((target) => `${path} imports ${target}`);
    }),
  );
}

/** The folder right below the root that a file is in; undefined for one beside the folders. */
function roomOf(path: string, root: string): string | undefined {
  const [first = '', ...rest] = path.slice(root.length + 1).split('/');
  return rest.length === 0 ? undefined : first;
}

/** The sets of two and more that can all be reached from each other (Tarjan, SIAM J. Comput. 1 (1972) 146). */
function connectedIn(edges: ReadonlyMap<string, readonly string[]>): string[][] {
  const found: string[][] = [];
  const order = new Map<string, number>();
  const low = new Map<string, number>();
  const open: string[] = [];
  const visit = (one: string): number => {
    const own = order.size;
    order.set(one, own);
    low.set(one, own);
    open.push(one);
    for (const next of edges.get(one) ?? []) {
      if (!order.has(next)) low.set(one, Math.min(low.get(one) ?? own, visit(next)));
      else if (open.includes(next)) low.set(one, Math.min(low.get(one) ?? own, order.get(next) ?? own));
    }
    const reached = low.get(one) ?? own;
    if (reached === own) {
      const circle = open.splice(open.indexOf(one));
      if (circle.length > 1) found.push(circle);
    }
    return reached;
  };
  for (const one of edges.keys()) if (!order.has(one)) visit(one);
  return found;
}

const repository = readRepository();

test('no files need each other', () => {
  expect(circles(repository)).toEqual([]);
});

test('no folder imports from a later one', () => {
  expect(upwards(repository)).toEqual([]);
});

describe('the rule sees its mutant', () => {
  const [one, other, third] = ['a', 'b', 'c'].map((name) => `packages/core/src/mutant-${name}.ts`) as [
    string,
    string,
    string,
  ];
  const withImports = (...files: readonly (readonly [string, string])[]) =>
    files.reduce((all, [path, text]) => withFile(all, path, text), repository);

  const bridge = 'services/mcp-bridge/src';
  test.each([
    [bridge, 'tools', "import type { X } from '../servers/x.ts';", 'servers/x.ts'],
    [bridge, 'attempts', "export * from '../start.ts';", 'start.ts'],
    ['packages/core/src', 'interrupts', "import { advance } from '../run/interpreter.ts';", 'run/interpreter.ts'],
  ])('a folder that imports upwards: %s/%s', (root, room, text, target) => {
    const mutant = `${root}/${room}/mutant.ts`;
    expect(upwards(withFile(repository, mutant, text))).toEqual([`${mutant} imports ${root}/${target}`]);
  });

  test('a folder without a place in the order', () => {
    const mutant = `${bridge}/more/mutant.ts`;
    expect(upwards(withFile(repository, mutant, ''))).toEqual([
      `${mutant} is in a folder that has no place in the order`,
    ]);
  });

  test('two files that import each other', () => {
    const mutant = withImports(
      [one, "import { b } from './mutant-b.ts';"],
      [other, "import type { A } from './mutant-a.ts';"],
    );
    expect(circles(mutant)).toEqual([`${one} <-> ${other}`]);
  });

  test('a way round over a third, and only what is on it', () => {
    const mutant = withImports(
      [one, "export * from './mutant-b.ts';"],
      [other, "import {\n  c,\n  type Fact,\n} from './mutant-c.ts';\nimport './facts.ts';"],
      [third, "import type { A } from './mutant-a.ts';"],
    );
    expect(circles(mutant)).toEqual([`${one} <-> ${other} <-> ${third}`]);
  });
});
