// Everything that can be checked without running the product, and a runner that shows each check's result.
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { capture, root } from './processes.mjs';

const tool = (...path) => [process.execPath, [join(root, 'node_modules', ...path)]];
const tsc = tool('typescript', 'bin', 'tsc');
const biome = tool('@biomejs', 'biome', 'bin', 'biome');
const buf = tool('@bufbuild', 'buf', 'bin', 'buf');
const knip = tool('knip', 'bin', 'knip.js');

const run = ([command, first], ...args) => capture(command, [...first, ...args]);
const program = (name, from, ...args) => ({ name, check: () => run(from, ...args) });

/** The checks of `npm run check`. A check gives `{ code, output }`, or `{ skipped: reason }`. */
export const checks = [
  program('types', tsc, '--noEmit', '-p', 'tsconfig.json'),
  program('types of the web app', tsc, '--noEmit', '-p', join('services', 'web', 'app', 'tsconfig.json')),
  program('lint and format', biome, 'ci', '--colors=off', '.'),
  program('proto lint', buf, 'lint'),
  program('proto format', buf, 'format', '--diff', '--exit-code'),
  { name: 'proto compatibility', check: protoCompatibility },
  { name: 'generated code', check: generatedCode },
  { name: 'configuration schema', check: () => ownProgram('config-schema') },
  { name: 'types of the client', check: () => ownProgram('client-types') },
  { name: 'invariants', check: () => capture(process.execPath, [join(root, 'scripts', 'invariants.mjs')]) },
  program('unused code and dependencies', knip, '--no-progress', '--no-config-hints'),
];

/** What is made by a program of ours from what is in the code: the schema that editors are shown, and the types of the client. */
function ownProgram(folder) {
  const main = join(root, 'tests', folder, 'main.ts');
  return capture(process.execPath, ['--import', 'tsx', '--conditions=stopgo-source', main, '--check']);
}

/** Runs checks, a few at a time; prints one line for each and the output of those that failed. Gives the counts. */
export async function runChecks(list, atOnce = Math.max(2, availableParallelism())) {
  const counts = { passed: 0, failed: 0, skipped: 0 };
  const waiting = [...list];
  const worker = async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) counts[await show(next)] += 1;
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  return counts;
}

async function show({ name, check }) {
  const began = Date.now();
  const { code, output = '', skipped } = await check();
  const time = `${((Date.now() - began) / 1_000).toFixed(1)} s`;
  if (skipped !== undefined) {
    console.log(`skip  ${name}: ${skipped}`);
    return 'skipped';
  }
  if (code === 0) {
    console.log(`ok    ${name} (${time})`);
    return 'passed';
  }
  console.log(`FAIL  ${name} (${time}, exit code ${code})\n${output.trimEnd().replace(/^/gm, '      ')}`);
  return 'failed';
}

/** Compares the contracts with those that were shipped last: what is in a log, and who speaks to us, must be understood. */
async function protoCompatibility() {
  const shipped = join('proto', 'shipped.binpb');
  if (!existsSync(join(root, shipped)))
    return { code: 1, output: `${shipped} is missing; make it with: npm run ship-contracts` };
  return await run(buf, 'breaking', '--against', shipped);
}

/** What is generated from what: the contracts, and the messages that the generated code is tested with. */
const GENERATED = [
  { target: join('packages', 'proto', 'src', 'gen'), template: 'buf.gen.yaml' },
  { target: join('packages', 'proto', 'test', 'gen'), template: join('packages', 'proto', 'test', 'buf.gen.yaml') },
];

/** Generates into a temporary folder and compares: somebody may have forgotten to, or edited generated code. */
async function generatedCode() {
  if (!existsSync(join(root, 'proto')) || filesIn(join(root, 'proto')).size === 0)
    return { skipped: 'no contracts yet' };
  const fresh = mkdtempSync(join(tmpdir(), 'stopgo-generated-'));
  try {
    const different = [];
    for (const { target, template } of GENERATED) {
      const generated = await run(buf, 'generate', '--template', template, '--output', fresh);
      if (generated.code !== 0) return generated;
      const [wanted, found] = [filesIn(join(fresh, target)), filesIn(join(root, target))];
      const names = [...new Set([...wanted.keys(), ...found.keys()])].sort();
      const changed = names.filter((name) => wanted.get(name) !== found.get(name));
      different.push(...changed.map((name) => join(target, name)));
    }
    if (different.length === 0) return { code: 0, output: '' };
    return { code: 1, output: `out of date; run: npm run generate\n${different.join('\n')}` };
  } finally {
    rmSync(fresh, { recursive: true, force: true });
  }
}

/** The texts of all files below a folder, by relative path. */
function filesIn(folder) {
  if (!existsSync(folder)) return new Map();
  const names = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const paths = names.map((entry) => join(entry.parentPath, entry.name));
  return new Map(paths.map((path) => [path.slice(folder.length + 1), readFileSync(path, 'utf8')]));
}
