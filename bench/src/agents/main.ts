// `node --import tsx --conditions=stopgo-source bench/src/agents/main.ts`: 10,000 agents in 50 repositories: how long it takes until all are
// known, until a commit that changes one of them is, and to find them over HTTP. The platform has to be built.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { HttpClient } from '../http-client.ts';
import { startModel, startPlatform } from '../platform.ts';
import { quantiles } from '../quantiles.ts';

const repositoriesCount = 50;
const agentsInEach = 200;
const readsCount = 500;
const syncsCount = 20;
const waitMs = 200;

const folder = mkdtempSync(join(tmpdir(), 'stopgo-bench-agents-'));
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));

const git = (repository: string, args: readonly string[], input = ''): void => {
  const env = { PATH: process.env.PATH, GIT_CONFIG_NOSYSTEM: '1', GIT_CONFIG_GLOBAL: '/dev/null' };
  execFileSync('git', args, { cwd: join(folder, repository), input, env, stdio: ['pipe', 'ignore', 'inherit'] });
};

/** A commit that writes these files, as `git fast-import` takes it. */
function commitOf(files: readonly (readonly [string, string])[], isFirst: boolean): string {
  const written = files.map(([path, text]) => `M 100644 inline ${path}\ndata ${Buffer.byteLength(text)}\n${text}\n`);
  const from = isFirst ? '' : 'from refs/heads/main^0\n';
  return `commit refs/heads/main\ncommitter B <b@example.org> 1700000000 +0000\ndata 1\nB\n${from}${written.join('')}`;
}

const words = ['bills', 'orders', 'refunds', 'deliveries', 'contracts', 'reviews', 'reports'];
const fileOf = (repository: number, agent: number, version: number): readonly [string, string] => [
  `team-${agent % 10}/agent-${agent}/prompt.md`,
  `---\nname: Agent ${agent}\ndescription: Answers about ${words[(repository + agent) % words.length]}, version ${version}\ntags: [${words[agent % words.length]}, r${repository}]\n---\nYou help with what you are asked. This is version ${version}.\n`,
];

const names = Array.from({ length: repositoriesCount }, (_, index) => `repository-${index}`);
for (const [index, name] of names.entries()) {
  mkdirSync(join(folder, name));
  git(name, ['init', '--quiet', '--initial-branch=main']);
  const files = Array.from({ length: agentsInEach }, (_, agent) => fileOf(index, agent, 0));
  git(name, ['fast-import', '--quiet'], commitOf(files, true));
}

const model = await startModel();
const began = performance.now();
const platform = await startPlatform(model.address, [], undefined, {
  agent_folders: [folder],
  agent_repositories: names.map((name) => ({ name, git_url: join(folder, name), sync_interval: '1h' })),
});
try {
  const http = await HttpClient.open(platform.address);
  const timed = async (path: string): Promise<number> => {
    const { status, ms } = await http.get(path);
    if (status !== 200) throw new Error(`${path} was answered with ${status}`);
    return ms;
  };
  while (JSON.parse((await http.get('/agents?limit=1')).body).total !== repositoriesCount * agentsInEach)
    await new Promise((resolve) => setTimeout(resolve, waitMs));
  console.log(`all agents known, from the start: ${((performance.now() - began) / 1_000).toFixed(1)} s`);

  const say = (what: string, all: readonly number[]): void => {
    const { p50, p95 } = quantiles(all);
    console.log(`${what}: p50 ${p50.toFixed(1)} ms, p95 ${p95.toFixed(1)} ms, most ${Math.max(...all).toFixed(1)} ms`);
  };
  const many = async (pathOf: (index: number) => string): Promise<number[]> => {
    const all: number[] = [];
    for (let index = 0; index < readsCount; index += 1) all.push(await timed(pathOf(index)));
    return all;
  };
  const nameOf = (index: number): string => {
    const agent = (index * 37) % agentsInEach;
    return `repository-${index % repositoriesCount}/team-${agent % 10}/agent-${agent}`;
  };
  say('resolve a name', await many((index) => `/agents/${nameOf(index)}`));
  say('list, 50 of them', await many((index) => `/agents?limit=50&cursor=${encodeURIComponent(nameOf(index))}`));
  say('search', await many((index) => `/agents?q=${words[index % words.length]}+r${index % repositoriesCount}`));

  const syncs: number[] = [];
  for (let index = 0; index < syncsCount; index += 1) {
    const repository = index % repositoriesCount;
    git(`repository-${repository}`, ['fast-import', '--quiet'], commitOf([fileOf(repository, 7, index + 1)], false));
    const { status, ms } = await http.post(`/repositories/repository-${repository}/sync`, {});
    if (status !== 200) throw new Error(`a sync was answered with ${status}`);
    syncs.push(ms);
  }
  say('sync of one changed file, with its fetch', syncs);
  http.close();
} finally {
  await platform.remove();
  await model.stop();
}
