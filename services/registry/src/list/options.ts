import type { ListedRepository } from '@stopgo/core';
import { Secret } from '@stopgo/rpc';
import type { Sealer } from '@stopgo/security';
import type { Credentials } from '../git/access.ts';
import { GitFailure } from '../git/git-failure.ts';
import type { RepositoryOptions } from '../kept-repository.ts';
import type { KeyFiles } from './key-files.ts';
import { opened } from './secrets.ts';

/** What opens secrets, and what ssh is given of them. */
export type SecretPorts = {
  /** Absent: this registry has no key, so that nothing can be sealed or opened. */
  readonly sealer?: Sealer;
  readonly keyFiles: KeyFiles;
  /** Where the keys of servers are kept that were met. */
  readonly knownHostsPath: string;
};

/** A repository that somebody has listed, as it is kept. */
export function optionsOf(listed: ListedRepository, ports: SecretPorts): RepositoryOptions {
  const { name, source, syncIntervalMs, isActive, authType } = listed;
  const webhookSecret = opened(listed, 'webhook_secret', ports.sealer);
  return {
    ...{ name, ...source, syncIntervalMs, isActive, authType, isConfigured: false },
    ...(webhookSecret === undefined ? {} : { webhookSecret: new Secret(webhookSecret) }),
    credentials: () => credentialsOf(listed, ports),
  };
}

function credentialsOf(listed: ListedRepository, { sealer, keyFiles, knownHostsPath }: SecretPorts): Credentials {
  const { authType, name } = listed;
  if (authType === 'none') return { type: 'none' };
  const secret = opened(listed, 'credentials', sealer);
  if (secret === undefined)
    throw new GitFailure(
      'denied',
      'the credentials were sealed with a key that this registry does not have; set them anew',
    );
  if (authType === 'token') return { type: 'token', token: secret };
  const { path, remove } = keyFiles.write(name, secret);
  return { type: 'ssh_key', keyPath: path, knownHostsPath, trustsNewHosts: true, forget: remove };
}
