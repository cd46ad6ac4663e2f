import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Actor } from '@stopgo/core';
import { Secret } from '@stopgo/rpc';
import { beforeEach, describe, expect, test } from 'vitest';
import type { Credentials } from '../src/git/access.ts';
import { Mirror } from '../src/git/mirror.ts';
import { GitProgram } from '../src/git/program.ts';
import { remoteOf } from '../src/git/remote.ts';
import { temporaryFolder } from './support/folder.ts';
import { keptRepositories } from './support/kept-repositories.ts';
import { MemoryLog } from './support/memory-log.ts';
import { TestRepository } from './support/repository.ts';
import { hasSshd, keyPair, type Sshd, sshd } from './support/sshd.ts';

const { signal } = new AbortController();

describe.skipIf(!hasSshd)('over a real server of ssh (skipped without one: apt-get install openssh-server)', () => {
  let folder: string;
  let key: string;
  let server: Sshd;
  let source: TestRepository;
  let commit: string;
  beforeEach(async () => {
    folder = temporaryFolder();
    key = keyPair(folder, 'mine');
    server = await sshd(key);
    source = new TestRepository();
    source.write('support/prompt.md', '---\nname: Agent\ndescription: Supports\n---\nHelp.\n');
    commit = source.commit('First');
  });

  const fetched = async (credentials: Credentials, url = server.urlOf(source.folder)) => {
    const mirror = new Mirror(new GitProgram('git', process.env), join(temporaryFolder(), 'm.git'));
    await mirror.fetch(remoteOf(url, []), credentials, signal);
    return mirror.headOf('main', signal);
  };
  const ssh = (more: Partial<Extract<Credentials, { type: 'ssh_key' }>> = {}): Credentials => ({
    ...{ type: 'ssh_key', keyPath: key, knownHostsPath: join(folder, 'known hosts'), trustsNewHosts: true },
    ...more,
  });

  test('a repository is fetched with its key, and the server is known from then on', async () => {
    expect(await fetched(ssh())).toBe(commit);
    expect(readFileSync(join(folder, 'known hosts'), 'utf8')).toMatch(
      new RegExp(`^\\[127\\.0\\.0\\.1\\]:${server.port} ssh-ed25519 `, 'mu'),
    );
    expect(await fetched(ssh({ trustsNewHosts: false }))).toBe(commit);
    server.changeIdentity();
    await expect(fetched(ssh())).rejects.toMatchObject({
      ...{ kind: 'unknown_host', message: expect.stringContaining('the key of the server is not the known one') },
    });
  });

  test('a server that is not known is not believed where known ones are named', async () => {
    await expect(fetched(ssh({ trustsNewHosts: false }))).rejects.toMatchObject({ kind: 'unknown_host' });
    expect(existsSync(join(folder, 'known hosts'))).toBe(false);
  });

  test.each([
    ['another key', () => ssh({ keyPath: keyPair(folder, 'other') }), 'denied', 'does not accept the ssh key'],
    ['a key that is not there', () => ssh({ keyPath: join(folder, 'lost') }), 'denied', 'ssh_key_path'],
  ])('%s is said in one line', async (_which, credentials, kind, words) => {
    const failure = await fetched(credentials()).catch((error: unknown) => error);
    expect(failure).toMatchObject({ name: 'GitFailure', kind, message: expect.stringContaining(words) });
    expect(String(failure)).not.toContain('\n');
  });

  test('a repository that is not there is said so', async () => {
    await expect(fetched(ssh(), server.urlOf('/nowhere'))).rejects.toMatchObject({ kind: 'no_repository' });
  });

  test('one that was added with its private key is synced, and the key is no file any more', async () => {
    const { repositories, find, folder: data } = await keptRepositories(new MemoryLog(), source.folder);
    const ana: Actor = { kind: 'user', id: 'ana' };
    const added = await repositories.add(
      {
        ...{ name: 'team', gitUrl: server.urlOf(source.folder), isRoot: false, authType: 'ssh-key' },
        credentials: new Secret(readFileSync(key, 'utf8')),
      },
      ...([ana, signal] as const),
    );
    await added.sync();
    expect(find('team/support')).toBe('Supports');
    expect(readdirSync(join(data, 'keys'))).toEqual([]);
  });
});
