import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { scriptedModel } from './model.ts';
import { resourcesConfig, root, start, workplace } from './platform.ts';

/** The client as somebody gets it who has nothing of ours: packed, installed without a network, and used by programs of their own. */

let folder: string;
const installed = (...path: string[]) => join(folder, 'node_modules', '@stopgo', 'client', ...path);

/** Runs a program as if nothing around it was ours; gives what it printed. @throws Error with that if it fails. */
async function run(program: string, args: readonly string[], cwd = folder): Promise<string> {
  const own = Object.entries(process.env).filter(([name]) => !/^(npm_|NODE_OPTIONS$|VITEST)/i.test(name));
  const env = {
    ...Object.fromEntries(own),
    npm_config_cache: join(folder, 'cache'),
    npm_config_update_notifier: 'false',
  };
  try {
    return (await promisify(execFile)(program, args, { cwd, env })).stdout;
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string };
    throw new Error(`${program} ${args.join(' ')}:\n${stdout}${stderr}`, { cause: error });
  }
}

const strict = {
  ...{ target: 'es2023', strict: true, exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true },
  ...{ skipLibCheck: false, isolatedModules: true },
};
const compile = async (name: string, compilerOptions: object): Promise<void> => {
  writeFileSync(
    join(folder, name),
    JSON.stringify({ compilerOptions: { ...strict, ...compilerOptions }, include: ['*.ts'] }),
  );
  await run(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-p', name]);
};

/** What somebody may write, and what the types have to refuse. */
const program = `
import { ApiError, type Approval, createClient, exactText, OutcomeUnknown, parseExact } from '@stopgo/client';

const client = createClient({ url: 'http://127.0.0.1:1', retries: { triesMax: 1 } });
export async function waiting(): Promise<readonly Approval[]> {
  const found: Approval[] = [];
  for await (const one of client.approvals.all({ status: 'pending' })) found.push(one);
  return found;
}
export const known = async (): Promise<string> =>
  (await client.call('GET /agents/{name}', { path: { name: 'ops' } })).agent.name;
// @ts-expect-error There is no such operation.
export const nowhere = () => client.call('GET /nowhere');
// @ts-expect-error The name is missing.
export const nobody = () => client.call('GET /agents/{name}');
// @ts-expect-error It is no word of the platform.
export const never = () => client.approvals.list({ status: 'sometimes' });
const error: unknown = await client.approvals.counts().catch((thrown: unknown) => thrown);
console.log(error instanceof ApiError, error instanceof OutcomeUnknown, (error as Error).name);
console.log(exactText(parseExact('{"n":12345678901234567890}') as never));
`;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'stopgo-client-'));
  await run('npm', ['pack', '--pack-destination', folder], join(root, 'packages/client'));
  const [tarball = ''] = readdirSync(folder).filter((name) => name.endsWith('.tgz'));
  mkdirSync(join(folder, 'cache'), { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{ "name": "of-somebody", "private": true, "type": "module" }');
  await run('npm', ['install', '--offline', '--no-audit', '--no-fund', `./${tarball}`]);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('the package is what it needs to be, and needs nothing else', () => {
  expect(readdirSync(join(folder, 'node_modules')).filter((name) => !name.startsWith('.'))).toEqual(['@stopgo']);
  expect(readdirSync(join(folder, 'node_modules', '@stopgo'))).toEqual(['client']);
  expect(readdirSync(installed()).sort()).toEqual(['LICENSE', 'README.md', 'dist', 'package.json']);
  const files = readdirSync(installed('dist'), { recursive: true, withFileTypes: true }).filter((one) => one.isFile());
  expect(files.map(({ name }) => name).filter((name) => !/\.(js|d\.ts)$/.test(name))).toEqual([]);
  const manifest = JSON.parse(readFileSync(installed('package.json'), 'utf8'));
  expect(manifest.private).toBeUndefined();
  expect(manifest.dependencies ?? {}).toEqual({});
});

test.each([
  ['Node', { module: 'nodenext', moduleResolution: 'nodenext', lib: ['es2023'], types: ['node'] }],
  ['a bundler', { module: 'esnext', moduleResolution: 'bundler', lib: ['es2023', 'dom', 'dom.iterable'], types: [] }],
])('a strict program for %s is compiled, and runs', async (_, options) => {
  writeFileSync(join(folder, 'program.ts'), program);
  await compile('tsconfig.json', { ...options, typeRoots: [join(root, 'node_modules/@types')], outDir: 'out' });
  expect(await run(process.execPath, ['out/program.js'])).toBe(
    'false false NotReached\n{\n  "n": 12345678901234567890\n}\n',
  );
});

test('the program of the README does what it says', async () => {
  const [place, model] = [workplace(), await scriptedModel()];
  const platform = await start(place, resourcesConfig(place), { env: model.env });
  try {
    const [, written = ''] = /```ts\n([\s\S]*?)```/.exec(readFileSync(installed('README.md'), 'utf8')) ?? [];
    expect(written).toContain('http://127.0.0.1:8080');
    writeFileSync(join(folder, 'program.ts'), written.replace('http://127.0.0.1:8080', platform.url));
    const options = { module: 'nodenext', moduleResolution: 'nodenext', lib: ['es2023'], types: ['node'] };
    await compile('tsconfig.json', { ...options, typeRoots: [join(root, 'node_modules/@types')], outDir: 'out' });
    const lines = (await run(process.execPath, ['out/program.js'])).trimEnd().split('\n');
    expect(lines).toContain('approval_requested');
    expect(lines.at(-2)).toBe('run_completed');
    expect(lines.at(-1)).toContain('added "web-1" with value 42');
  } finally {
    await platform.discard();
    await model.stop();
    place.remove();
  }
});
