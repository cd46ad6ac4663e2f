import { parseDuration } from '@stopgo/core';
import { z } from 'zod';
import { flag, text } from './request.ts';

const textBytesMax = 4_096;
const keyBytesMax = 16_384;

const settings = {
  branch: text(textBytesMax).describe('The branch that agents are taken from; main unless named.'),
  sync_interval: text(textBytesMax)
    .refine((interval) => interval === null || interval === undefined || isInterval(parseDuration(interval)), {
      error: 'sync_interval must be a duration, for example 5m',
    })
    .describe('How long after one look the next is taken: 1s to 24h.'),
  is_active: flag().describe('It is looked at, and its agents can be found.'),
  auth_type: text(textBytesMax).describe('none, token or ssh-key.'),
  auth_token: text(textBytesMax).describe('For token: an access token.'),
  ssh_key: text(keyBytesMax).describe('For ssh-key: a private key without a passphrase.'),
  webhook_secret: text(textBytesMax).describe('Secret of its webhooks; null: none are taken.'),
};

type Given = { readonly auth_token?: string | null | undefined; readonly ssh_key?: string | null | undefined };

const isGiven = (text: string | null | undefined): boolean => text !== undefined && text !== null;
const isOneAtMost = ({ auth_token: token, ssh_key: key }: Given): boolean => !isGiven(token) || !isGiven(key);
/** Told in its place among what else is wrong. */
const notBoth = { error: 'give auth_token or ssh_key, not both', path: ['ssh_key'], when: () => true };

/** The order in which the settings of a repository are looked at. */
export const settingsOrder = [
  ...['name', 'git_url', 'auth_token', 'ssh_key', 'auth_type', 'webhook_secret', 'branch'],
  ...['sync_interval', 'is_active'],
];

/** Body that changes a repository: what is absent stays. */
export const changeRepository = z.strictObject(settings).refine(isOneAtMost, notBoth);

const place = {
  name: text(textBytesMax).describe('A letter, and then letters, digits, _ or -.'),
  git_url: text(textBytesMax).describe('As git_url of the configuration.'),
};

/** Body that adds a repository. */
export const addRepository = z.strictObject({
  ...place,
  is_root: flag().describe('Its agents have no namespace.'),
  ...settings,
});

type Place = { readonly name?: string | null | undefined; readonly git_url?: string | null | undefined };

/** What of it is looked at before it is asked who may do it. */
export const addedRepository = z
  .object({ ...place, ...settings })
  .refine(({ name, git_url: url }: Place) => (name ?? '') !== '' && (url ?? '') !== '', {
    error: 'name and git_url are required',
    path: ['git_url'],
    when: () => true,
  })
  .refine(isOneAtMost, notBoth);

/** The rest. */
export const asRoot = addRepository.pick({ is_root: true }).strip();

const isInterval = (ms: number | undefined): boolean => ms !== undefined && ms <= 2 ** 31;
