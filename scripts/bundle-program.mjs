// Puts the built code of `stopgo` into few files (cli/dist/program): a process that loads its hundreds of modules one by one takes
// half as long again to start (docs/decisions/0101-one-program.md). Libraries stay where npm has put them. Does nothing, quickly, when
// nothing was built since. What it reads is what the compiler wrote, so `tsc -b` comes first.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { withLock } from './lock.mjs';
import { root } from './processes.mjs';

const entry = join(root, 'cli', 'dist', 'main.js');
const target = join(root, 'cli', 'dist', 'program');
const stamp = join(target, '.built-from');

await withLock(
  join(root, '.cache', 'bundle-program.lock'),
  () => undefined,
  async () => {
    const digest = digestOfBuilt();
    const last = existsSync(stamp) ? JSON.parse(readFileSync(stamp, 'utf8')) : { digest: '', files: [] };
    if (last.digest === digest) return;
    const fresh = `${target}.new`;
    await bundle(fresh);
    const files = readdirSync(fresh);
    mkdirSync(target, { recursive: true });
    // The entry last, which names the others. A process that runs still finds those of the program that it is.
    for (const file of files.sort((one, other) => Number(one === 'main.js') - Number(other === 'main.js')))
      renameSync(join(fresh, file), join(target, file));
    rmSync(fresh, { recursive: true });
    const kept = new Set([...files, ...last.files]);
    for (const file of readdirSync(target)) if (!kept.has(file)) rmSync(join(target, file));
    writeFileSync(stamp, JSON.stringify({ digest, files }));
  },
);

async function bundle(folder) {
  // Loaded by who bundles only.
  const { build } = await import('vite');
  await build({
    configFile: false,
    root,
    logLevel: 'error',
    plugins: [whereItWas()],
    ssr: { noExternal: [/^@stopgo\//] },
    build: {
      ssr: true,
      outDir: folder,
      emptyOutDir: true,
      minify: false,
      target: 'node20',
      rolldownOptions: {
        input: { main: entry },
        output: { entryFileNames: '[name].js', chunkFileNames: '[name]-[hash].js' },
      },
    },
  });
}

/** Modules find files near them by `import.meta.url`: it stays that of the file that the compiler wrote. */
function whereItWas() {
  return {
    name: 'where-it-was',
    transform: (code, id) => {
      if (id.includes(`${sep}node_modules${sep}`) || !code.includes('import.meta.url')) return;
      const path = JSON.stringify(relative(target, id).split(sep).join('/'));
      return { code: code.replaceAll('import.meta.url', `new URL(${path}, import.meta.url).href`), map: null };
    },
  };
}

/** Of what the compiler wrote, by its own records of it, and of this script. */
function digestOfBuilt() {
  const folders = ['packages', 'services'].flatMap((kind) =>
    readdirSync(join(root, kind)).map((name) => join(root, kind, name)),
  );
  const hash = createHash('sha256').update(readFileSync(fileURLToPath(import.meta.url)));
  for (const folder of [...folders, join(root, 'offline-model'), join(root, 'cli')].sort()) {
    const record = join(folder, 'dist', '.tsbuildinfo');
    if (existsSync(record)) hash.update(relative(root, folder)).update(readFileSync(record));
  }
  return hash.digest('hex');
}
