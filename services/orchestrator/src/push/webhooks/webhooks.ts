import type { Secret } from '@stopgo/rpc';
import { attemptsMax, linkAttemptsMax } from '../bounds.ts';

/** What a webhook may be told of. */
export type NoticeType = 'requested' | 'voted' | 'reminded' | 'escalated' | 'resolved';

/** Somebody who is told of approvals, as this process has it configured. */
export type Webhook = {
  readonly name: string;
  readonly url: string;
  /** Each `whsec_` and a key in base64: what is told is signed with all of them, so that a key can be replaced. */
  readonly secrets: readonly Secret[];
  readonly events: readonly NoticeType[];
  /** The address may be one of a network of one's own, and over http. */
  readonly allowPrivate: boolean;
  /** E-mail address of the user as whom its links decide; absent: it is sent none. */
  readonly linkFor?: string;
};

/** The webhooks by name. */
export type Webhooks = ReadonlyMap<string, Webhook>;

/** Attempts in a row before an address is given up: those that waited for a link are no fault of it. */
export const attemptsOf = (webhook: Webhook | undefined): number =>
  attemptsMax + (webhook?.linkFor === undefined ? 0 : linkAttemptsMax);

const prefix = 'whsec_';
const keyBytesMin = 24;
const keyBytesMax = 64;

/** The key of a secret; undefined if it is none. */
export function webhookKey(secret: string): Buffer | undefined {
  const text = secret.slice(prefix.length);
  if (!secret.startsWith(prefix) || !/^[A-Za-z0-9+/]+={0,2}$/.test(text)) return undefined;
  const key = Buffer.from(text, 'base64');
  return key.length >= keyBytesMin && key.length <= keyBytesMax ? key : undefined;
}
