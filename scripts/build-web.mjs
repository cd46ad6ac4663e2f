// Builds the web app (services/web/app) into services/web/dist/public, with every text packed in advance, as gzip and as brotli. Does
// nothing, quickly, when nothing changed. The new app takes the place of the old one in one step.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { withLock } from './lock.mjs';
import { root } from './processes.mjs';

const web = join(root, 'services', 'web');
const target = join(web, 'dist', 'public');
const stamp = join(target, '.built-from');
const isText = /\.(css|js|svg|json|webmanifest)$/;

await withLock(
  join(root, '.cache', 'build-web.lock'),
  () => undefined,
  async () => {
    const digest = digestOfSources();
    if (existsSync(stamp) && readFileSync(stamp, 'utf8') === digest) return;
    // Loaded by who builds only.
    const { build } = await import('vite');
    const fresh = `${target}.new`;
    await build({
      configFile: join(web, 'app', 'vite.config.ts'),
      root: join(web, 'app'),
      logLevel: 'error',
      build: { outDir: fresh, emptyOutDir: true },
    });
    pack(fresh);
    writeFileSync(join(fresh, '.built-from'), digest);
    const old = `${target}.old`;
    rmSync(old, { recursive: true, force: true });
    mkdirSync(join(target, '..'), { recursive: true });
    if (existsSync(target)) renameSync(target, old);
    renameSync(fresh, target);
    rmSync(old, { recursive: true, force: true });
  },
);

/** What a build reads: names and contents, since a clone that is made anew has new times. */
function digestOfSources() {
  const hash = createHash('sha256');
  const add = (path) => hash.update(`${path.slice(web.length)}\n`).update(readFileSync(path));
  for (const folder of [join(web, 'app'), join(root, 'packages', 'client', 'src')])
    for (const name of readdirSync(folder, { recursive: true }).map(String).sort()) {
      const path = join(folder, name);
      if (statSync(path).isFile()) add(path);
    }
  for (const path of [join(web, 'package.json'), join(root, 'package-lock.json')]) add(path);
  add(join(root, 'packages', 'core', 'src', 'text', 'visible.ts'));
  add(join(root, 'docs', 'operations.md'));
  return hash.digest('hex');
}

function pack(folder) {
  for (const name of readdirSync(folder, { recursive: true }).map(String)) {
    if (!isText.test(name)) continue;
    const path = join(folder, name);
    const text = readFileSync(path);
    const brotli = { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: text.length };
    writeFileSync(`${path}.gz`, gzipSync(text, { level: 9 }));
    writeFileSync(`${path}.br`, brotliCompressSync(text, { params: brotli }));
  }
}
