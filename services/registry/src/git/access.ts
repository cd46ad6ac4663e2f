import { GitFailure } from './git-failure.ts';
import { hostOf } from './public-remote.ts';
import type { Remote } from './remote.ts';

/** How a repository is reached. */
export type Credentials =
  | { readonly type: 'none' }
  /** Sent as the password of HTTP's basic authentication, as GitHub, GitLab and Gitea take access tokens. */
  | { readonly type: 'token'; readonly token: string }
  | {
      readonly type: 'ssh_key';
      /** Absolute path of the private key. */
      readonly keyPath: string;
      /** Absolute path of the keys of known servers. */
      readonly knownHostsPath: string;
      /** Whether a server that is met for the first time is trusted, and its key kept in `knownHostsPath`. */
      readonly trustsNewHosts: boolean;
      /** Removes the key where it is only there for this run. */
      readonly forget?: () => void;
    };

/** What one run of git is given, so that it can reach one repository and nothing else. */
export type Access = {
  readonly protocol: Remote['protocol'];
  readonly config: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** What git's credential helper reads from file descriptor 3. Neither arguments nor the environment hold it. */
  readonly secret?: string;
  /** What no message repeats: the token, and what it is sent as. */
  readonly hidden?: readonly string[];
};

/** The name that goes with a token. */
const tokenUser = 'x-access-token';

/** Seconds that ssh waits for a connection, and between its questions whether the server is still there. */
const connectSeconds = 20;
const aliveSeconds = 15;

/** @throws GitFailure `refused` where the credentials do not go with the address. */
export function accessTo(remote: Remote, credentials: Credentials): Access {
  const { protocol } = remote;
  if (credentials.type === 'token') {
    if (protocol !== 'https' && protocol !== 'http')
      throw new GitFailure('refused', 'auth_type is token, which goes with an https address only');
    if (/[\p{Cc}]/u.test(credentials.token) || credentials.token === '')
      throw new GitFailure('refused', 'auth_token is empty or holds control characters');
    return {
      protocol,
      // Asked once: what is read is gone, so that a server that refuses it is not asked with it again.
      config: ['credential.helper=', 'credential.helper=!cat <&3; :', ...onlyAddress(remote)],
      env: {},
      secret: `username=${tokenUser}\npassword=${credentials.token}\n`,
      hidden: [credentials.token, Buffer.from(`${tokenUser}:${credentials.token}`).toString('base64')],
    };
  }
  const noHelper = ['credential.helper='];
  if (protocol !== 'ssh') return { protocol, config: [...noHelper, ...onlyAddress(remote)], env: {} };
  const command = sshCommand(credentials, onlyHost(remote));
  return { protocol, config: noHelper, env: { GIT_SSH_COMMAND: command, GIT_SSH_VARIANT: 'ssh' } };
}

/** Has curl take the name of the host for this address, whatever name servers say. */
function onlyAddress(remote: Remote): string[] {
  const { address } = remote;
  const place = hostOf(remote);
  if (address === undefined || place === undefined) return [];
  const at = address.includes(':') ? `[${address}]` : address;
  return [`http.curloptResolve=${place.hostname}:${place.port === '' ? '443' : place.port}:${at}`];
}

/** The same for ssh. The key of the server stays that of its name. */
function onlyHost(remote: Remote): string[] {
  const { address } = remote;
  const place = hostOf(remote);
  if (address === undefined || place === undefined) return [];
  const { hostname, port } = place;
  const alias = port === '' || port === '22' ? hostname : `[${hostname}]:${port}`;
  return [`HostName=${address}`, `HostKeyAlias=${alias}`];
}

function sshCommand(credentials: Exclude<Credentials, { type: 'token' }>, more: readonly string[]): string {
  const options = [
    'BatchMode=yes',
    'IdentitiesOnly=yes',
    'IdentityAgent=none',
    'ForwardAgent=no',
    'ForwardX11=no',
    'ClearAllForwardings=yes',
    'PermitLocalCommand=no',
    'PasswordAuthentication=no',
    'KbdInteractiveAuthentication=no',
    'UpdateHostKeys=no',
    `ConnectTimeout=${connectSeconds}`,
    `ServerAliveInterval=${aliveSeconds}`,
    'ServerAliveCountMax=4',
    ...more,
  ];
  if (credentials.type === 'ssh_key') {
    options.push(
      `IdentityFile=${sshPath(credentials.keyPath)}`,
      `UserKnownHostsFile=${sshPath(credentials.knownHostsPath)}`,
      'GlobalKnownHostsFile=/dev/null',
      `StrictHostKeyChecking=${credentials.trustsNewHosts ? 'accept-new' : 'yes'}`,
    );
  } else {
    options.push('IdentityFile=none', 'UserKnownHostsFile=/dev/null', 'StrictHostKeyChecking=yes');
  }
  return ['ssh', '-F', '/dev/null', ...options.flatMap((option) => ['-o', shellWord(option)])].join(' ');
}

/** A path as ssh reads it in an option: blanks are kept by quotes, `%` and `${` are no placeholders. */
function sshPath(path: string): string {
  if (/["\p{Cc}]|\$\{/u.test(path))
    throw new GitFailure('refused', 'a path of ssh holds quotes, ${ or control characters');
  return `"${path.replaceAll('%', '%%')}"`;
}

const shellWord = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;
