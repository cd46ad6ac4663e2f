import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { accessTo } from '../src/git/access.ts';
import { gitFailureOf } from '../src/git/git-failure.ts';
import { isProxied, publicRemote } from '../src/git/public-remote.ts';
import { checkRefName, remoteOf } from '../src/git/remote.ts';
import { temporaryFolder } from './support/folder.ts';

test.each([
  ['https://github.com/company/agents.git', 'https'],
  ['ssh://git@host.example:2222/agents.git', 'ssh'],
  ['git@github.com:company/agents.git', 'ssh'],
  ['http://localhost:3000/agents.git', 'http'],
])('%s is reached by %s', (url, protocol) => {
  expect(remoteOf(url, [])).toEqual({ url, protocol });
});

test.each([
  ['--upload-pack=touch /tmp/x', /begins with a dash|blanks/u],
  ['--upload-pack=evil', /begins with a dash/u],
  ['ext::sh -c evil', /blanks/u],
  ['ext::evil', /names a helper program/u],
  ['fd::17', /names a helper program/u],
  ['git://host/agents', /has the protocol git/u],
  ['http://example.org/agents', /anybody on the way/u],
  ['https://user:token@example.org/agents', /holds credentials/u],
  ['https://token@example.org/agents', /holds credentials/u],
  ['https://example.org/agents.git?private_token=glpat-thesecretitself', /holds a query/u],
  ['http://localhost:3000/agents#glpat-thesecretitself', /holds a query or a fragment/u],
  ['ssh://git:thesecretitself@host/agents', /holds credentials/u],
  ['ssh://-oProxyCommand=evil/agents', /no valid address|begins with a dash/u],
  ['ssh://git@host/-agents', /begins with a dash/u],
  ['ssh://git@host/%2Dagents', /begins with a dash/u],
  ['-oProxyCommand=evil:agents', /begins with a dash/u],
  ['git@host:-agents', /begins with a dash/u],
  ['agents', /none of https/u],
  ['../agents', /none of https/u],
  ['https://example.org/a\u202egents', /control characters/u],
  ['http://localhost\\@169.254.169.254/agents', /backslash/u],
  ['https://example.org\\@elsewhere.example/agents', /backslash/u],
  ['', /is empty/u],
  ['/tmp', /below none of agent_folders/u],
  ['file:///tmp', /below none of agent_folders/u],
  ['file://host/tmp', /no folder of this machine/u],
])('%s is refused', (url, why) => {
  expect(() => remoteOf(url, ['/usr'])).toThrow(why);
  // Errors are logged, recorded and shown.
  expect(() => remoteOf(url, ['/usr'])).not.toThrow(/thesecretitself/u);
});

test('git is given the address that was checked, however it was written', () => {
  expect(remoteOf('http://127.1:3000/a', [])).toEqual({ url: 'http://127.0.0.1:3000/a', protocol: 'http' });
  expect(remoteOf('http://%6cocalhost/a', [])).toEqual({ url: 'http://localhost/a', protocol: 'http' });
});

test('a folder is read only below one that was named, whatever its links say', () => {
  expect(remoteOf('/usr/lib', ['/usr'])).toEqual({ url: '/usr/lib', protocol: 'file' });
  expect(remoteOf('file:///usr/lib', ['/'])).toMatchObject({ protocol: 'file' });
  expect(() => remoteOf('/usr/../etc', ['/usr'])).toThrow(/below none/u);
  expect(() => remoteOf('/usr/sbin', ['/usr/bin', '/usr/lib'])).toThrow(/below none/u);
  const folder = temporaryFolder();
  mkdirSync(join(folder, 'agents'));
  mkdirSync(join(folder, 'agents-of-others'));
  symlinkSync('../agents-of-others', join(folder, 'agents', 'link'));
  const named = [join(folder, 'agents')];
  expect(() => remoteOf(join(folder, 'agents-of-others'), named)).toThrow(/below none/u);
  expect(() => remoteOf(join(folder, 'agents', 'link'), named)).toThrow(/below none/u);
  expect(() => remoteOf('/usr/nothing-here', ['/usr'])).toThrow(/is not there/u);
});

test('a folder is not read whose objects are in another one', () => {
  const folder = temporaryFolder();
  const made = (name: string, ...below: string[]) => mkdirSync(join(folder, name, ...below), { recursive: true });
  /** What git takes for a repository. */
  const repository = (...path: string[]) => {
    made(path.join('/'), 'objects', 'info');
    writeFileSync(join(folder, ...path, 'HEAD'), 'ref: refs/heads/main\n');
  };
  repository('plain', '.git');
  expect(remoteOf(join(folder, 'plain'), [folder])).toMatchObject({ protocol: 'file' });
  // Links among the files of a work tree are nothing to git.
  symlinkSync('/elsewhere/notes', join(folder, 'plain', 'notes'));
  expect(remoteOf(join(folder, 'plain'), [folder])).toMatchObject({ protocol: 'file' });
  made('tree');
  writeFileSync(join(folder, 'tree', '.git'), 'gitdir: /elsewhere/.git\n');
  made('link');
  symlinkSync('/elsewhere/.git', join(folder, 'link', '.git'));
  repository('shared', '.git');
  repository('bare.git');
  for (const git of ['shared/.git', 'bare.git'])
    writeFileSync(join(folder, git, 'objects', 'info', 'alternates'), '/elsewhere/.git/objects\n');
  repository('common', '.git');
  writeFileSync(join(folder, 'common', '.git', 'commondir'), '/elsewhere/.git\n');
  repository('linked', '.git');
  symlinkSync('/elsewhere/.git/refs', join(folder, 'linked', '.git', 'refs'));
  repository('packs', '.git');
  symlinkSync('/elsewhere/.git/objects/pack', join(folder, 'packs', '.git', 'objects', 'pack'));
  // The first place is no repository: git goes on to the folder itself.
  made('empty', '.git');
  repository('empty');
  writeFileSync(join(folder, 'empty', 'commondir'), '/elsewhere/.git\n');
  // Git takes this one for a folder that is none itself.
  made('beside');
  writeFileSync(join(folder, 'beside.git'), 'gitdir: /elsewhere/.git\n');
  for (const name of ['tree', 'link', 'shared', 'bare.git', 'common', 'linked', 'packs', 'empty', 'beside'])
    expect(() => remoteOf(join(folder, name), [folder]), name).toThrow(/its objects in another one/u);
});

test('files of a work tree may be called anything', () => {
  const folder = temporaryFolder();
  mkdirSync(join(folder, '.git'));
  for (const name of ['objects', 'commondir']) writeFileSync(join(folder, name), 'A file.\n');
  mkdirSync(join(folder, 'refs'));
  symlinkSync('/elsewhere', join(folder, 'refs', 'link'));
  expect(remoteOf(folder, [folder])).toMatchObject({ protocol: 'file' });
  const other = temporaryFolder();
  for (const name of ['HEAD', 'objects']) writeFileSync(join(other, name), 'A file.\n');
  expect(remoteOf(other, [other])).toMatchObject({ protocol: 'file' });
});

test('a folder of another user is told as such: what git says to do about it has no effect here', () => {
  const said =
    "fatal: detected dubious ownership in repository at '/a'\nTo add an exception for this directory, call:\n\n\tgit config --global --add safe.directory /a";
  expect(gitFailureOf(said)).toMatchObject({
    kind: 'denied',
    message: expect.stringMatching(/belongs to another user/u),
  });
});

test('what a server says in words of its own is not repeated', () => {
  const said = 'remote: bad token x-access-token:SECRET\nfatal: Authentication failed for https://h/a/';
  expect(gitFailureOf(said).message).toMatch(/\(git: fatal: Authentication failed/u);
  expect(gitFailureOf('fatal: remote error: SECRET at 12:01').message).not.toContain('SECRET');
});

test.each([
  '-x',
  'a..b',
  'a b',
  'a~1',
  'a^',
  'a:b',
  'a?',
  'a*',
  'a[',
  'a\\',
  '/a',
  'a/',
  'a//b',
  '.a',
  'a/.b',
  'a.lock',
  'a.',
  '@',
  'a@{1}',
  '',
])('the branch %j is refused', (name) => {
  expect(() => checkRefName(name)).toThrow(/no name of a branch/u);
});

test('names of branches that git takes are taken', () => {
  for (const name of ['main', 'feature/new-agent', 'v1.2', 'größe', 'a-b_c'])
    expect(() => checkRefName(name)).not.toThrow();
});

test('ssh is told which key, which servers, and nothing of the user', () => {
  const { env } = accessTo(remoteOf('git@host:agents', []), {
    type: 'ssh_key',
    keyPath: "/secrets/it's a key",
    knownHostsPath: '/data/100%',
    trustsNewHosts: false,
  });
  const command = env.GIT_SSH_COMMAND ?? '';
  expect(command).toMatch(/^ssh -F \/dev\/null /u);
  expect(command).toContain(`'IdentityFile="/secrets/it'\\''s a key"'`);
  expect(command).toContain(`'UserKnownHostsFile="/data/100%%"'`);
  for (const option of ['BatchMode=yes', 'IdentitiesOnly=yes', 'IdentityAgent=none', 'StrictHostKeyChecking=yes'])
    expect(command).toContain(`'${option}'`);
});

test('a token goes with no ssh address, and only to where it belongs', () => {
  expect(() => accessTo(remoteOf('git@host:agents', []), { type: 'token', token: 't' })).toThrow(/https address only/u);
  expect(() => accessTo(remoteOf('https://host/a', []), { type: 'token', token: 'a\nhost=evil' })).toThrow(/control/u);
});

test.each([
  ['fatal: unable to access: Could not resolve host: nobody.invalid', 'unreachable'],
  [
    'ssh: Could not resolve hostname nobody.invalid: Name or service not known\nfatal: Could not read from remote repository.',
    'unreachable',
  ],
  ['git@host: Permission denied (publickey).\nfatal: Could not read from remote repository.', 'denied'],
  ['Host key verification failed.\nfatal: Could not read from remote repository.', 'unknown_host'],
  ["remote: Repository not found.\nfatal: repository 'https://h/a/' not found", 'no_repository'],
  ['fatal: unable to access: SSL certificate problem: self-signed certificate', 'unknown_host'],
  ['fatal: unable to access: The requested URL returned error: 503', 'unreachable'],
  ['fatal: something new', 'other'],
])('%j means %s', (output, kind) => {
  const failure = gitFailureOf(output);
  expect(failure.kind).toBe(kind);
  expect(failure.message).not.toContain('\n');
});

const names: Readonly<Record<string, readonly string[]>> = {
  'git.example.com': ['93.184.216.34', '2606:2800:220:1::1'],
  'rebound.example.com': ['93.184.216.34', '10.0.0.7'],
  'inner.example.com': ['192.168.1.9'],
};
const lookUp = async (name: string) => names[name] ?? Promise.reject(new Error('ENOTFOUND'));
const reached = (url: string, proxied = false) => publicRemote(remoteOf(url, ['/usr']), lookUp, proxied);

test.each([
  'http://127.0.0.1:3000/a',
  'http://localhost:6379/a',
  'https://127.1/a',
  'https://10.0.0.7/a',
  'https://169.254.169.254/a',
  'https://[::1]/a',
  'https://[::ffff:192.168.0.1]/a',
  'https://gitlab.internal/a',
  'https://metadata/a',
  'ssh://git@10.0.0.7:22/a',
  'ssh://git@[fd00::7]/a',
  'git@10.0.0.7:a',
  'git@gitlab.local:a',
  'https://inner.example.com/a',
  'ssh://git@inner.example.com/a',
  'git@inner.example.com:a',
  'https://rebound.example.com/a',
])('%s is not of the public network, and is refused in the same words as all others', async (url) => {
  await expect(reached(url)).rejects.toMatchObject({
    ...{
      name: 'GitFailure',
      kind: 'refused',
      message: expect.stringMatching(/^git_url is not of the public network, and/u),
    },
  });
});

test('a name of the public network is reached at the address that was judged, and nowhere else', async () => {
  const at = '93.184.216.34';
  const https = await reached('https://git.example.com/a');
  expect(accessTo(https, { type: 'none' }).config).toContain(`http.curloptResolve=git.example.com:443:${at}`);
  const withToken = accessTo(await reached('https://git.example.com:8443/a'), { type: 'token', token: 't' });
  expect(withToken.config).toContain(`http.curloptResolve=git.example.com:8443:${at}`);
  const ssh = async (url: string) => accessTo(await reached(url), { type: 'none' }).env.GIT_SSH_COMMAND;
  expect(await ssh('git@git.example.com:a')).toContain(`'HostName=${at}' -o 'HostKeyAlias=git.example.com'`);
  expect(await ssh('ssh://git@git.example.com:2222/a')).toContain(`'HostKeyAlias=[git.example.com]:2222'`);
  // What nobody added over the API is looked up by git itself, and a folder is no host.
  expect(accessTo(remoteOf('git@git.example.com:a', []), { type: 'none' }).env.GIT_SSH_COMMAND).not.toContain(
    'HostName',
  );
  expect(await reached('/usr/lib')).toEqual({ url: '/usr/lib', protocol: 'file' });
  await expect(reached('https://nobody.example.com/a')).rejects.toMatchObject({ kind: 'unreachable' });
});

test('behind a proxy it is the proxy that looks names up, but for ssh', async () => {
  expect(await reached('https://inner.example.com/a', true)).not.toHaveProperty('address');
  await expect(reached('git@inner.example.com:a', true)).rejects.toMatchObject({ kind: 'refused' });
  await expect(reached('https://10.0.0.7/a', true)).rejects.toMatchObject({ kind: 'refused' });
  expect(
    [{ HTTPS_PROXY: 'http://p' }, { all_proxy: 'http://p' }, { https_proxy: '' }, { no_proxy: '*' }].map(isProxied),
  ).toEqual([true, true, false, false]);
});
