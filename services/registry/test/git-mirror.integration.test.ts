import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { Credentials } from '../src/git/access.ts';
import { Mirror, type MirrorBounds, mirrorBounds } from '../src/git/mirror.ts';
import { GitProgram } from '../src/git/program.ts';
import { remoteOf } from '../src/git/remote.ts';
import { temporaryFolder } from './support/folder.ts';
import { httpBackend } from './support/http-backend.ts';
import { TestRepository } from './support/repository.ts';

const none: Credentials = { type: 'none' };
const { signal } = new AbortController();
const git = new GitProgram('git', process.env);

function mirrorOf(bounds: Partial<MirrorBounds> = {}) {
  const directory = join(temporaryFolder(), 'mirror.git');
  return { directory, mirror: new Mirror(git, directory, { ...mirrorBounds, ...bounds }) };
}

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = [];
  for await (const item of items) list.push(item);
  return list;
}

test('a fetch that was ended in the midst of it stops no later one', async () => {
  const source = new TestRepository();
  source.write('a.md', 'one');
  source.commit('First');
  const { directory, mirror } = mirrorOf();
  const fetch = () => mirror.fetch(remoteOf(source.folder, [source.folder]), none, signal);
  await fetch();
  source.write('a.md', 'two');
  const second = source.commit('Second');
  for (const lock of ['refs/heads/main.lock', 'packed-refs.lock']) writeFileSync(join(directory, lock), '');
  await fetch();
  expect(await mirror.headOf('main', signal)).toBe(second);
});

test('a path is that path, whatever it looks like to git', async () => {
  const source = new TestRepository();
  source.write(':(x)/prompt.md', 'one');
  const commit = source.commit('First');
  const { mirror } = mirrorOf();
  await mirror.fetch(remoteOf(source.folder, [source.folder]), none, signal);
  expect(await mirror.entryOf(commit, ':(x)/prompt.md', signal)).toMatchObject({ kind: 'file' });
  expect(await mirror.entryOf(commit, ':(y)/prompt.md', signal)).toBeUndefined();
});

test('no message repeats the token, whatever the server says', async () => {
  const token = 'token-of-nobody';
  // Git repeats what it was answered where it had to be something else.
  const server = createServer((request, response) => {
    const { authorization = '' } = request.headers;
    const type = 'application/x-git-upload-pack-advertisement';
    const said = `${token} ${authorization}\n`;
    if (authorization === '') response.writeHead(401, { 'www-authenticate': 'Basic realm="x"' }).end();
    else
      response
        .writeHead(200, { 'content-type': type })
        .end(`${(said.length + 4).toString(16).padStart(4, '0')}${said}`);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/agents.git`;
  const failure = await mirrorOf().mirror.fetch(remoteOf(url, []), { type: 'token', token }, signal).catch(String);
  expect(failure).toMatch(/GitFailure: .*invalid server response/u);
  expect(failure).not.toContain(token);
  expect(failure).not.toContain(btoa(`x-access-token:${token}`));
});

test('a mirror over HTTP gives files, changes, history, branches and tags', async () => {
  const source = new TestRepository();
  source.write('sales/agent/prompt.md', 'one');
  source.write('sales/old.md', 'old');
  const first = source.commit('First');
  source.git('tag', 'v1');
  source.git('branch', 'next/two');
  source.write('sales/agent/prompt.md', 'two');
  source.write('new.md', 'new');
  source.git('rm', '--quiet', 'sales/old.md');
  const second = source.commit('Second\n\nwith a body');
  const { url } = await httpBackend(source.folder);
  const { mirror } = mirrorOf();
  await mirror.fetch(remoteOf(url, []), none, signal);

  expect(await mirror.headOf('main', signal)).toBe(second);
  expect(await mirror.resolve('v1', signal)).toBe(first);
  const { branches, tags } = await mirror.refs(signal);
  expect([branches, tags].map((refs) => refs.map(({ name }) => name))).toEqual([['main', 'next/two'], ['v1']]);
  const tree = await all(mirror.tree(second, signal));
  expect(tree.map(({ path, kind }) => `${kind} ${path}`)).toEqual(['file new.md', 'file sales/agent/prompt.md']);
  const changes = await all(mirror.changes(first, second, signal));
  expect(changes.map(({ path, entry }) => `${entry?.kind ?? 'gone'} ${path}`)).toEqual([
    'file new.md',
    'file sales/agent/prompt.md',
    'gone sales/old.md',
  ]);
  const contents = await all(
    mirror.contents(
      tree.map(({ object }) => object),
      signal,
    ),
  );
  expect(contents.map(([, blob]) => blob.kind === 'content' && blob.bytes.toString())).toEqual(['new', 'two']);
  const old = await mirror.entryOf(first, 'sales/agent/prompt.md', signal);
  expect(old?.kind).toBe('file');
  expect(await mirror.history(second, ['sales/agent/prompt.md'], 10, signal)).toEqual([
    {
      hash: second,
      message: 'Second\n\nwith a body',
      author: 'Ada',
      time: expect.any(Number),
      changedFiles: ['new.md', 'sales/agent/prompt.md', 'sales/old.md'],
    },
    {
      hash: first,
      message: 'First',
      author: 'Ada',
      time: expect.any(Number),
      changedFiles: ['sales/agent/prompt.md', 'sales/old.md'],
    },
  ]);
  expect(await mirror.history(second, ['sales/agent/prompt.md'], 1, signal)).toHaveLength(1);
  await expect(mirror.headOf('master', signal)).rejects.toThrow('there is no branch master; it has main, next/two');
});

test('a token goes to the server that asks for it, and stands in no argument, variable or file', async () => {
  const source = new TestRepository();
  source.write('agent.md', 'text');
  source.commit('First');
  const token = 'secret-token-of-a-test';
  const backend = await httpBackend(source.folder, token);
  // In place of git: notes how it was started, and becomes git.
  const folder = temporaryFolder();
  const spying = join(folder, 'git');
  const noted = join(folder, 'noted');
  writeFileSync(spying, `#!/bin/sh\n{ echo "$@"; env; } >> ${noted}\nexec git "$@"\n`, { mode: 0o755 });
  const directory = join(folder, 'mirror.git');
  const mirror = new Mirror(new GitProgram(spying, { ...process.env, OTHER_SECRET: token }), directory);
  await mirror.fetch(remoteOf(backend.url, []), { type: 'token', token }, signal);

  expect(backend.brought.at(-1)).toBe(`Basic ${btoa(`x-access-token:${token}`)}`);
  expect(readFileSync(noted, 'utf8')).toContain('fetch');
  expect(readFileSync(noted, 'utf8')).not.toContain(token);
  // The mirror itself knows no other place, so that nothing that is missing in it is asked for later.
  expect(readFileSync(join(directory, 'config'), 'utf8')).not.toContain('remote');
  for (const variable of ['HOME=/nonexistent', 'GIT_CONFIG_GLOBAL=/dev/null', 'GIT_CONFIG_NOSYSTEM=1'])
    expect(readFileSync(noted, 'utf8')).toContain(`\n${variable}\n`);
  await expect(
    mirror.fetch(remoteOf(backend.url, []), { type: 'token', token: 'another-one' }, signal),
  ).rejects.toThrow('the server does not accept the credentials; check auth_type and auth_token');
  await expect(mirror.fetch(remoteOf(backend.url, []), none, signal)).rejects.toMatchObject({ kind: 'denied' });
});

test('a server that answers with another address is not followed', async () => {
  const source = new TestRepository();
  source.commit('First');
  const { url, brought } = await httpBackend(source.folder);
  const redirecting = createServer((request, response) => {
    response.writeHead(302, { location: url + (request.url ?? '').replace('/agents.git', '') }).end();
  });
  await new Promise<void>((resolve) => redirecting.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void redirecting.close());
  const address = `http://127.0.0.1:${(redirecting.address() as AddressInfo).port}/agents.git`;
  await expect(mirrorOf().mirror.fetch(remoteOf(address, []), none, signal)).rejects.toMatchObject({
    name: 'GitFailure',
  });
  expect(brought).toEqual([]);
});

test.each([
  ['a host that nobody is at', 'http://127.0.0.1:1/agents.git', 'unreachable'],
  ['a host without a name', 'https://nobody.invalid/agents.git', 'unreachable'],
])('%s is said in one line', async (_, url, kind) => {
  const failure = await mirrorOf()
    .mirror.fetch(remoteOf(url, []), none, signal)
    .catch((error: unknown) => error);
  expect(failure).toMatchObject({ name: 'GitFailure', kind });
  expect(String(failure)).not.toContain('\n');
});

test('a repository that is not there, and a program that is not there, are said in one line', async () => {
  const { url } = await httpBackend(temporaryFolder());
  await expect(mirrorOf().mirror.fetch(remoteOf(url, []), none, signal)).rejects.toMatchObject({
    kind: 'no_repository',
  });
  const missing = new Mirror(new GitProgram('git-that-is-not-there', process.env), join(temporaryFolder(), 'm.git'));
  await expect(missing.fetch(remoteOf(url, []), none, signal)).rejects.toThrow(
    'the program git-that-is-not-there is not there; install git',
  );
});

test('a commit that a force-push drops stays readable, and the branch is the new one', async () => {
  const source = new TestRepository();
  source.write('agent.md', 'first');
  const base = source.commit('First');
  source.write('agent.md', 'pinned');
  const pinned = source.commit('Pinned');
  const { url } = await httpBackend(source.folder);
  const { mirror } = mirrorOf();
  await mirror.fetch(remoteOf(url, []), none, signal);
  source.git('reset', '--quiet', '--hard', base);
  source.write('agent.md', 'other');
  const other = source.commit('Other');
  source.git('reflog', 'expire', '--expire=now', '--all');
  source.git('gc', '--quiet', '--prune=now');
  await mirror.fetch(remoteOf(url, []), none, signal);

  expect(await mirror.headOf('main', signal)).toBe(other);
  expect(await mirror.resolve(pinned, signal)).toBe(pinned);
  expect((await all(mirror.changes(pinned, other, signal))).map(({ path }) => path)).toEqual(['agent.md']);
});

test('links and submodules are told apart from files, and neither is followed', async () => {
  const source = new TestRepository();
  source.link('agent.md', '/etc/passwd');
  source.write('.gitmodules', '[submodule "sub"]\n\tpath = sub\n\turl = ./elsewhere\n');
  const commit = source.commit('First');
  source.git('update-index', '--add', '--cacheinfo', `160000,${commit},sub`);
  source.git('commit', '--quiet', '--message', 'With a submodule');
  const { url } = await httpBackend(source.folder);
  const { mirror, directory } = mirrorOf();
  await mirror.fetch(remoteOf(url, []), none, signal);
  const tree = await all(mirror.tree(await mirror.headOf('main', signal), signal));
  expect(tree.map(({ path, kind }) => `${kind} ${path}`)).toEqual([
    'file .gitmodules',
    'symlink agent.md',
    'submodule sub',
  ]);
  expect(existsSync(join(directory, 'modules'))).toBe(false);
});

test('nothing that a user, a repository or its server brings along is run', async () => {
  const home = temporaryFolder();
  const ran = join(home, 'ran');
  const source = new TestRepository();
  source.write('agent.md filter=evil', 'text');
  source.write('.gitattributes', '*.md filter=evil diff=evil\n');
  source.write('agent.md', 'text');
  const first = source.commit('First');
  source.write('agent.md', 'more');
  const second = source.commit('Second');
  writeFileSync(
    join(home, '.gitconfig'),
    `[core]\n\thooksPath = ${home}\n[diff "evil"]\n\tcommand = touch ${ran}\n\ttextconv = touch ${ran}\n[credential]\n\thelper = "!touch ${ran}; :"\n`,
  );
  writeFileSync(join(home, 'reference-transaction'), `#!/bin/sh\ntouch ${ran}\n`, { mode: 0o755 });
  const { url } = await httpBackend(source.folder);
  const directory = join(temporaryFolder(), 'mirror.git');
  const mirror = new Mirror(
    new GitProgram('git', { ...process.env, HOME: home, GIT_EXTERNAL_DIFF: `touch ${ran}` }),
    directory,
  );
  await mirror.fetch(remoteOf(url, []), none, signal);
  await mirror.history(second, ['agent.md'], 10, signal);
  await all(mirror.changes(first, second, signal));
  expect(existsSync(join(directory, 'hooks'))).toBe(false);
  expect(existsSync(ran)).toBe(false);
});

test('a file that is too large is kept back by the server or left unread, and the others are read', async () => {
  const source = new TestRepository();
  source.write('large.md', 'x'.repeat(3_000));
  source.write('small.md', 'small');
  source.commit('First');
  const { url } = await httpBackend(source.folder);
  const overHttp = mirrorOf({ fileBytesMax: 2_000 }).mirror;
  await overHttp.fetch(remoteOf(url, []), none, signal);
  // A folder is not asked: the whole of it came.
  const overFile = mirrorOf({ fileBytesMax: 2_000 }).mirror;
  await overFile.fetch(remoteOf(source.folder, [source.folder]), none, signal);
  for (const [mirror, bytes] of [
    [overHttp, undefined],
    [overFile, 3_000],
  ] as const) {
    const tree = await all(mirror.tree(await mirror.headOf('main', signal), signal));
    const contents = new Map(
      await all(
        mirror.contents(
          tree.map(({ object }) => object),
          signal,
        ),
      ),
    );
    const blobOf = (path: string) => contents.get(tree.find((entry) => entry.path === path)?.object ?? '');
    expect(blobOf('small.md')).toEqual({ kind: 'content', bytes: Buffer.from('small') });
    expect(blobOf('large.md')).toEqual({ kind: 'too_large', ...(bytes === undefined ? {} : { bytes }) });
  }
  // What was kept back does not hinder the next fetch.
  source.write('small.md', 'changed');
  const second = source.commit('Second');
  await overHttp.fetch(remoteOf(url, []), none, signal);
  expect(await overHttp.headOf('main', signal)).toBe(second);
});

test('a repository that is too large is refused, leaves nothing behind, and is taken once it is smaller', async () => {
  const source = new TestRepository();
  source.write('agent.md', 'text');
  const small = source.commit('First');
  source.write('noise.bin', randomBytes(400_000));
  source.commit('Noise');
  const { mirror, directory } = mirrorOf({ fetchBytesMax: 65_536 });
  const remote = remoteOf(source.folder, [source.folder]);
  await expect(mirror.fetch(remote, none, signal)).rejects.toMatchObject({ kind: 'too_large' });
  source.git('reset', '--quiet', '--hard', small);
  await mirror.fetch(remote, none, signal);
  expect(await mirror.headOf('main', signal)).toBe(small);
  expect(readdirSync(join(directory, 'objects', 'pack')).filter((name) => name.startsWith('tmp_'))).toEqual([]);
});

test('objects that git refuses are not taken', async () => {
  const source = new TestRepository();
  const blob = source.git('hash-object', '-w', '--stdin');
  const tree = Buffer.concat([Buffer.from('100644 .git\0'), Buffer.from(blob, 'hex')]);
  source.write('tree', tree);
  const evil = source.git('hash-object', '-w', '-t', 'tree', '--literally', 'tree');
  source.git('update-ref', 'refs/heads/main', source.git('commit-tree', evil, '-m', 'Evil'));
  const { mirror } = mirrorOf();
  await expect(mirror.fetch(remoteOf(source.folder, [source.folder]), none, signal)).rejects.toMatchObject({
    kind: 'damaged',
  });
});

test('what is aborted, or takes too long, ends with everything that it started', async () => {
  let asked = () => {};
  const isAsked = new Promise<void>((resolve) => {
    asked = resolve;
  });
  let closed = () => {};
  const isClosed = new Promise<void>((resolve) => {
    closed = resolve;
  });
  const silent = createServer((request) => {
    request.socket.once('close', () => closed());
    asked();
  });
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void silent.close());
  const remote = remoteOf(`http://127.0.0.1:${(silent.address() as AddressInfo).port}/a.git`, []);
  const aborts = new AbortController();
  const fetching = mirrorOf().mirror.fetch(remote, none, aborts.signal);
  await isAsked;
  aborts.abort(new Error('stopped'));
  await expect(fetching).rejects.toThrow('stopped');
  // The program that holds the connection has ended too.
  await isClosed;
  await expect(mirrorOf({ fetchMs: 200 }).mirror.fetch(remote, none, signal)).rejects.toMatchObject({
    kind: 'too_slow',
  });
});

test('100,000 files are read as they come, and no others are asked for', async () => {
  const source = new TestRepository();
  const object = source.git('hash-object', '-w', '--stdin');
  const lines = Array.from(
    { length: 100_000 },
    (_, index) => `100644 ${object}\tfolder-${index % 100}/file-${index}.md\n`,
  );
  execFileSync('git', ['update-index', '--index-info'], { cwd: source.folder, input: lines.join('') });
  source.git('update-ref', 'refs/heads/main', source.git('commit-tree', source.git('write-tree'), '-m', 'Many'));
  const { mirror } = mirrorOf();
  await mirror.fetch(remoteOf(source.folder, [source.folder]), none, signal);
  let count = 0;
  for await (const _ of mirror.tree(await mirror.headOf('main', signal), signal)) count += 1;
  expect(count).toBe(100_000);
  const few = mirrorOf({ listBytesMax: 10_000 }).mirror;
  await few.fetch(remoteOf(source.folder, [source.folder]), none, signal);
  await expect(all(few.tree(await few.headOf('main', signal), signal))).rejects.toMatchObject({ kind: 'too_large' });
});
