import { ApiError } from '@stopgo/client';
import { changeProblem } from '../ui/ask-first.tsx';
import type { Repository } from './types.ts';

/** What a form about a repository holds: texts as they are typed. */
export type Fields = {
  readonly name: string;
  readonly git_url: string;
  readonly branch: string;
  readonly is_root: boolean;
  readonly sync_interval: string;
  readonly is_active: boolean;
  /** `keep`: what is kept stays as it is. */
  readonly auth_type: string;
  readonly secret: string;
  /** `keep`, `set` or `none`. */
  readonly webhooks: string;
  readonly webhook_secret: string;
};

export type FieldName = keyof Fields;

/** What a form begins with. */
export const fieldsOf = (repository?: Repository): Fields => ({
  name: repository?.name ?? '',
  git_url: repository?.git_url ?? '',
  branch: repository?.branch ?? 'main',
  is_root: repository?.is_root ?? false,
  sync_interval: repository?.sync_interval ?? '5m',
  is_active: repository?.is_active ?? true,
  auth_type: repository === undefined ? 'none' : 'keep',
  secret: '',
  webhooks: repository === undefined ? 'none' : 'keep',
  webhook_secret: '',
});

/** The body that adds a repository, or changes one: of that only what is different. */
export function bodyOf(fields: Fields, before?: Repository): Readonly<Record<string, unknown>> {
  const { name, git_url, branch, is_root, sync_interval, is_active } = fields;
  if (before === undefined)
    return { name: name.trim(), git_url: git_url.trim(), branch, is_root, sync_interval, ...secretsOf(fields, true) };
  return {
    ...(branch === before.branch ? {} : { branch }),
    ...(sync_interval === before.sync_interval ? {} : { sync_interval }),
    ...(is_active === before.is_active ? {} : { is_active }),
    ...secretsOf(fields, false),
  };
}

function secretsOf(
  { auth_type, secret, webhooks, webhook_secret }: Fields,
  isNew: boolean,
): Readonly<Record<string, unknown>> {
  return {
    ...(auth_type === 'keep' ? {} : { auth_type }),
    ...(auth_type === 'token' ? { auth_token: secret } : {}),
    // A key without its last line break is none for ssh.
    ...(auth_type === 'ssh-key' ? { ssh_key: secret.endsWith('\n') ? secret : `${secret}\n` } : {}),
    ...(webhooks === 'set' ? { webhook_secret } : {}),
    ...(webhooks === 'none' && !isNew ? { webhook_secret: null } : {}),
  };
}

/** What the form calls what the API calls otherwise. */
const formWords: readonly (readonly [RegExp, string])[] = [
  [/\bgit_url\b/gi, 'the address'],
  [/\bsync_interval\b/gi, 'the interval'],
  [/\bauth_type token\b/gi, 'an access token'],
  [/\bauth_type ssh-key\b/gi, 'an SSH key'],
  [/\bauth_token\b/gi, 'the access token'],
  [/\bssh_key\b/gi, 'the private key'],
  [/\bwebhook_secret\b/gi, 'the secret of the webhooks'],
];

function inWordsOfForm(text: string): string {
  const said = formWords.reduce((before, [word, ours]) => before.replace(word, ours), text);
  return `${said.charAt(0).toUpperCase()}${said.slice(1)}`;
}

/** Words of the platform's errors, and the field of the form that each is about. */
const about: readonly (readonly [RegExp, FieldName])[] = [
  [/\bauth_token\b|\bssh_key\b/, 'secret'],
  [/\bauth_type\b|\bcredentials\b/, 'auth_type'],
  [/\bwebhook_secret\b/, 'webhook_secret'],
  [/\bsync_interval\b/, 'sync_interval'],
  [/\bgit_url\b/, 'git_url'],
  [/\bbranch\b/, 'branch'],
  [/\bname\b/, 'name'],
];

/** Why the platform did not take a form, and at which field that is to be shown; without one it is about the whole form. */
export function problemOf(error: unknown): { readonly text: string; readonly field?: FieldName } {
  const text = inWordsOfForm(changeProblem(error));
  if (!(error instanceof ApiError) || error.status >= 500 || error.status === 403) return { text };
  // Which of two is wrong is told by what the sentence begins with.
  const beginning = about.find(([word]) =>
    new RegExp(`^\\W*(?:invalid request body: )?"?(?:${word.source})`).test(error.message),
  );
  const found = beginning ?? about.find(([word]) => word.test(error.message));
  return found === undefined ? { text } : { text, field: found[1] };
}
