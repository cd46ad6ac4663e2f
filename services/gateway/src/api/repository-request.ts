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

/** Body that changes a repository: what is absent stays. */
export const changeRepository = z.strictObject(settings);

const isMissing = (given: string | null | undefined): boolean => (given ?? '') === '';

/** Body that adds a repository. */
export const addRepository = z
  .strictObject({
    name: text(textBytesMax).describe('A letter, and then letters, digits, _ or -.'),
    git_url: text(textBytesMax).describe('As git_url of the configuration.'),
    is_root: flag().describe('Its agents have no namespace.'),
    ...settings,
  })
  .refine(({ name, git_url: url }) => !isMissing(name) && !isMissing(url), { error: 'name and git_url are required' });

const isInterval = (ms: number | undefined): boolean => ms !== undefined && ms <= 2 ** 31;
