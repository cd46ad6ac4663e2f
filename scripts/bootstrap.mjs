// Makes a fresh clone ready to run: checks Node, installs what the lock file says, builds what changed. Does nothing,
// quickly, when nothing changed. Everything it says goes to stderr.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { withLock } from './lock.mjs';
import { root, runToEnd } from './processes.mjs';

const NODE_MIN = [20, 19];
/** A long step says that it is still at work this often. */
const STILL_WORKING_MS = 10_000;

const lockFile = join(root, 'package-lock.json');
const installStamp = join(root, 'node_modules', '.stopgo-install');
const buildStamp = join(root, 'node_modules', '.stopgo-build');
const buildConfig = join(root, 'tsconfig.build.json');
const bundler = join(root, 'scripts', 'bundle-program.mjs');
const program = join(root, 'cli', 'dist', 'program', 'main.js');

/** What stops a script: its message is the whole explanation. */
export class BootstrapError extends Error {}

/** Installs and, unless told not to, builds whatever is missing or out of date. Throws `BootstrapError`. */
export async function bootstrap({ building = true } = {}) {
  requireNode(process.versions.node);
  if (isInstalled() && (!building || isBuilt())) return;
  await withLock(
    join(root, '.cache', 'bootstrap.lock'),
    (pid) => say(`waiting for another process (${pid}) that is installing or building`),
    async () => {
      if (!isInstalled()) await install();
      if (building && !isBuilt()) await build();
    },
  );
}

/** Runs a script's main function: errors are one line, the exit code is what it returns. */
export async function runScript(main) {
  try {
    process.exitCode = await main();
  } catch (error) {
    console.error(error instanceof BootstrapError ? error.message : error);
    process.exitCode = 1;
  }
}

/** Throws `BootstrapError` when this Node is older than the one the project needs. */
export function requireNode(version) {
  const [major, minor] = version.split('.').map(Number);
  if (major > NODE_MIN[0] || (major === NODE_MIN[0] && minor >= NODE_MIN[1])) return;
  throw new BootstrapError(`Node ${NODE_MIN.join('.')} or newer is needed; this is ${version}.`);
}

async function install() {
  await step('installing dependencies (npm ci)', 'the first time this takes about half a minute', () => {
    const args = ['ci', '--include=dev', '--include=optional', '--no-progress', '--loglevel=error'];
    const npm = process.env.npm_execpath ?? '';
    // Under `npm run` this is the very npm that the user called; else the one that is found.
    if (basename(npm) === 'npm-cli.js') return runToEnd(process.execPath, [npm, ...args]);
    return runToEnd(process.platform === 'win32' ? 'npm.cmd' : 'npm', args);
  });
  stamp(installStamp, installDigest());
}

async function build() {
  const digest = buildDigest(); // before the build: a file saved meanwhile makes the next run build again
  const compiler = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
  await step('building (tsc -b)', '', async () => {
    const code = await runToEnd(process.execPath, [compiler, '-b', buildConfig]);
    return code === 0 ? await runToEnd(process.execPath, [bundler]) : code;
  });
  stamp(buildStamp, digest);
}

async function step(what, remark, action) {
  const began = Date.now();
  const seconds = () => ((Date.now() - began) / 1_000).toFixed(1);
  say(`${what}${remark === '' ? '' : `; ${remark}`}`);
  const reminder = setInterval(() => say(`still ${what}: ${seconds()} s`), STILL_WORKING_MS);
  try {
    const code = await action();
    if (code !== 0) throw new BootstrapError(`stop-and-go: ${what} failed (exit code ${code}); see the lines above.`);
  } finally {
    clearInterval(reminder);
  }
  say(`done in ${seconds()} s`);
}

function isInstalled() {
  const digest = installDigest();
  if (readOr(installStamp, '') === digest) return true;
  if (!holdsWhatLockSays()) return false;
  stamp(installStamp, digest);
  return true;
}

function installDigest() {
  return sha256([readFileSync(lockFile), process.platform, process.arch]);
}

/**
 * True when npm's own record of node_modules agrees with the lock file, so that after a plain `npm install` nothing
 * needs to be installed again. Packages for other platforms are in the lock file only.
 */
function holdsWhatLockSays() {
  const record = join(root, 'node_modules', '.package-lock.json');
  if (!existsSync(record)) return false;
  const installed = packagesIn(record);
  const wanted = Object.entries(packagesIn(lockFile)).filter(([path]) => path.includes('node_modules/'));
  return wanted.every(([path, { version, link, optional }]) => {
    const found = installed[path];
    if (found === undefined) return optional === true;
    return link === true ? found.link === true : found.version === version && existsSync(join(root, path));
  });
}

function packagesIn(file) {
  return JSON.parse(readFileSync(file, 'utf8')).packages ?? {};
}

function isBuilt() {
  const areThere = [program, ...referencedFolders().map(({ output }) => output)].every(existsSync);
  return areThere && readOr(buildStamp, '') === buildDigest();
}

/** A digest of everything a build reads: names, times and sizes, not contents, so that it takes milliseconds. */
function buildDigest() {
  const lines = [readOr(installStamp, ''), describe(buildConfig), describe(join(root, 'tsconfig.base.json'))];
  for (const { folder } of referencedFolders()) {
    lines.push(describe(join(folder, 'package.json')), describe(join(folder, 'tsconfig.build.json')));
    for (const entry of readdirSync(join(folder, 'src'), { recursive: true, withFileTypes: true })) {
      if (entry.isFile()) lines.push(describe(join(entry.parentPath, entry.name)));
    }
  }
  return sha256([lines.sort().join('\n')]);
}

function referencedFolders() {
  const { references } = JSON.parse(readFileSync(buildConfig, 'utf8'));
  return references.map(({ path }) => {
    const folder = join(root, path, '..');
    return { folder, output: join(folder, 'dist', '.tsbuildinfo') };
  });
}

function describe(path) {
  const { mtimeMs, size } = statSync(path);
  return `${path} ${mtimeMs} ${size}`;
}

function stamp(path, text) {
  mkdirSync(join(path, '..'), { recursive: true });
  writeFileSync(path, text);
}

function readOr(path, otherwise) {
  return existsSync(path) ? readFileSync(path, 'utf8') : otherwise;
}

function sha256(parts) {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest('hex');
}

function say(text) {
  console.error(`stop-and-go: ${text}`);
}
