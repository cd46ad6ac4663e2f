import { visibleText } from '@stopgo/core';

/** Longest line of git's own output that an error repeats, in characters. */
const shownCharactersMax = 300;

/**
 * Why git did not do what was asked. `missing`: the program is not there. `unreachable`: nobody answers, or the network fails.
 * `denied`: the credentials are not accepted. `unknown_host`: the server's identity is not the known one. `no_repository`,
 * `no_branch`: there is none of that name. `refused`: it was not even tried. `too_large`, `too_slow`: a bound was reached.
 * `damaged`: what came is not what git accepts. `other`: git says something else.
 */
export type GitFailureKind =
  | 'missing'
  | 'unreachable'
  | 'denied'
  | 'unknown_host'
  | 'no_repository'
  | 'no_branch'
  | 'refused'
  | 'too_large'
  | 'too_slow'
  | 'damaged'
  | 'other';

/** Git did not do what was asked. The message is one line: what is wrong, and what to do. It holds no secret. */
export class GitFailure extends Error {
  override readonly name = 'GitFailure';

  readonly kind: GitFailureKind;

  constructor(kind: GitFailureKind, message: string) {
    super(visibleText(message).replaceAll('\n', ' '));
    this.kind = kind;
  }
}

/** What git writes, under LC_ALL=C, and what it means. The first that matches counts: what tells more stands first. */
const meanings: readonly (readonly [RegExp, GitFailureKind, string])[] = [
  [/host key verification failed|remote host identification has changed/iu, 'unknown_host', unknownHost()],
  [
    /permission denied \((?:publickey|password|keyboard)|too many authentication failures/iu,
    'denied',
    'the server does not accept the ssh key; check ssh_key_path, and that the key may read this repository',
  ],
  [
    /load key "[^"]*": (?:no such file|permission denied|error in libcrypto|invalid format)|unprotected private key/iu,
    'denied',
    'the ssh key cannot be used; check that ssh_key_path is a private key without a passphrase that only its owner can read',
  ],
  [
    /authentication failed|could not read (?:username|password)|access denied|returned error: 40[13]/iu,
    'denied',
    'the server does not accept the credentials; check auth_type and auth_token',
  ],
  [
    /detected dubious ownership/iu,
    'denied',
    'the folder belongs to another user, which git does not trust; have it belong to the user that the platform runs as',
  ],
  [
    /repository (?:'[^']*' )?not found|does not appear to be a git repository|returned error: 404|not a git repository/iu,
    'no_repository',
    'there is no such repository, or these credentials may not see it; check git_url',
  ],
  [
    /could not resolve (?:host|hostname|proxy)|name or service not known/iu,
    'unreachable',
    'the name of the host is not known; check git_url and the network',
  ],
  [
    /ssl certificate|certificate verification|tls|gnutls/iu,
    'unknown_host',
    'the certificate of the server is not trusted',
  ],
  [
    /connection (?:refused|timed out|reset|closed)|failed to connect|network is unreachable|no route to host|operation timed out|early eof|hung up unexpectedly|rpc failed|operation too slow|returned error: (?:429|5\d\d)/iu,
    'unreachable',
    'the server does not answer; it is tried again',
  ],
  [/transport '[^']*' not allowed/iu, 'refused', 'git may not use this kind of address'],
  [
    /fsck error|fsck:|index-pack|bad object|unpack|inflate|corrupt|broken|packfile/iu,
    'damaged',
    'git refuses the objects of this repository',
  ],
];

function unknownHost(): string {
  return 'the key of the server is not the known one; check known_hosts_path, or who answers in its place';
}

/** What a run of git that failed means, by what it wrote to its error output. */
export function gitFailureOf(output: string): GitFailure {
  const line = tellingLine(output);
  for (const [pattern, kind, text] of meanings)
    if (pattern.test(output)) return new GitFailure(kind, line === '' ? text : `${text} (git: ${line})`);
  return new GitFailure('other', line === '' ? 'git failed and said nothing' : `git failed: ${line}`);
}

/**
 * The first line that names an error, or the last one at all. What the server says in words of its own is not repeated: it may hold the
 * credentials that it was given, and another thing each time. Addresses carry none: none were given in one.
 */
function tellingLine(output: string): string {
  const all = output.split(/[\r\n]+/u).filter((line) => line.trim() !== '');
  const lines = all.filter((line) => !/^(?:remote:|fatal: remote error:)/iu.test(line));
  const named = lines.filter((line) => /^(?:fatal|error|ssh|load key|git@)|permission denied/iu.test(line));
  return (named.find((line) => !/^fatal: could not read from remote/iu.test(line)) ?? lines.at(-1) ?? '')
    .trim()
    .slice(0, shownCharactersMax);
}
