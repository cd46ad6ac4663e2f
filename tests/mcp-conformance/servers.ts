// Shows the tool servers that we ship to the public MCP conformance suite, over HTTP, in both protocols. See README.md.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const repository = fileURLToPath(new URL('../../', import.meta.url));
const suite = join(process.cwd(), 'node_modules/.bin/conformance');
const folder = mkdtempSync(join(tmpdir(), 'mcp-conformance-'));

/** The scenarios that ask nothing of a server but its protocol; the others call tools that only a test server has. */
const scenarios: Readonly<Record<string, readonly string[]>> = {
  '2025-11-25': [
    'server-initialize',
    'ping',
    'tools-list',
    'dns-rebinding-protection',
    'server-session-lifecycle',
    'server-sse-multiple-streams',
  ],
  '2026-07-28': [
    'tools-list',
    'dns-rebinding-protection',
    'server-sse-multiple-streams',
    'sep-2164-resource-not-found',
    'http-header-validation',
    'input-required-result-unsupported-methods',
    'server-stateless',
    'caching',
  ],
};

/** Checks that cannot be made without a tool, a prompt or a resource that our servers have no use for. */
const notAskable: ReadonlySet<string> = new Set([
  'sep-2575-server-rejects-undeclared-capability',
  'sep-2575-missing-capability-http-400',
  'sep-2575-http-server-no-independent-requests-on-stream',
  'sep-2575-server-no-log-without-loglevel',
  'sep-2549-prompts-list-caching-hints',
  'sep-2549-resources-list-caching-hints',
  'sep-2549-resources-templates-list-caching-hints',
]);

type Check = { readonly id: string; readonly status: string; readonly errorMessage?: string };

const running: ChildProcess[] = [];

/** Starts one of our servers on a free port of this machine. */
async function serve(name: string, args: readonly string[]): Promise<string> {
  const main = join(repository, 'mcp-servers', name, 'src/main.ts');
  const child = spawn(process.execPath, ['--conditions=stopgo-source', main, ...args], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  running.push(child);
  let said = '';
  return new Promise((resolve, reject) => {
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      said += text;
      const url = /http:\/\/[^\s"]+\/mcp/u.exec(said)?.[0];
      if (url !== undefined) resolve(url);
    });
    child.once('close', () => reject(new Error(`${name} did not start: ${said}`)));
  });
}

/** What the suite says of a server in one scenario. */
async function checksOf(url: string, revision: string, scenario: string): Promise<readonly Check[]> {
  const out = mkdtempSync(join(folder, 'checks-'));
  const args = ['server', '--url', url, '--scenario', scenario, '--spec-version', revision, '-o', out];
  const child = spawn(process.execPath, [suite, ...args], { stdio: 'ignore' });
  await once(child, 'close');
  const [made] = readdirSync(out);
  if (made === undefined) return [];
  return JSON.parse(readFileSync(join(out, made, 'checks.json'), 'utf8')) as readonly Check[];
}

/** Plays all scenarios; gives how many did not come out well. */
async function show(name: string, url: string): Promise<number> {
  let bad = 0;
  for (const [revision, names] of Object.entries(scenarios))
    for (const scenario of names) {
      const checks = await checksOf(url, revision, scenario);
      const passed = checks.filter(({ status }) => status === 'SUCCESS').length;
      const failed = checks.filter(({ id, status }) => status === 'FAILURE' && !notAskable.has(id));
      const isGood = checks.length > 0 && failed.length === 0;
      if (!isGood) bad += 1;
      const asked = passed + failed.length;
      const said = asked === 0 ? 'nothing to check, it has no sessions' : `${passed} of ${asked} checks`;
      console.log(`${isGood ? '✓' : '✗'} mcp-${name} ${revision} ${scenario}: ${said}`);
      for (const { id, errorMessage = '' } of failed) console.log(`    ${id}: ${errorMessage}`);
    }
  return bad;
}

try {
  if (!existsSync(suite))
    throw new Error('the suite is not installed in this folder: see tests/mcp-conformance/README.md');
  const files = join(folder, 'files');
  mkdirSync(files);
  const settings = join(folder, 'filesystem.yaml');
  writeFileSync(settings, `port: 0\nroots: [{name: files, path: ${JSON.stringify(files)}, allowed_tools: ["*"]}]\n`);
  const resources = await serve('resources', ['--db', join(folder, 'r.db'), '--http', '--port', '0']);
  const filesystem = await serve('filesystem', ['--config', settings]);
  const bad = (await show('resources', resources)) + (await show('filesystem', filesystem));
  console.log(bad === 0 ? 'both servers conform' : `${bad} scenarios did not come out well`);
  process.exitCode = bad === 0 ? 0 : 1;
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
} finally {
  for (const child of running) child.kill('SIGTERM');
  rmSync(folder, { recursive: true, force: true });
}
