import { createHmac, randomBytes } from 'node:crypto';
import { closeSync, existsSync, fsyncSync, openSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Secret } from '@stopgo/rpc';

const keyBytes = 32;
const ownerOnly = 0o600;

/** The file of a data directory that keeps the key with which credentials for notifications are sealed. */
const fileName = 'push.key';

/** @throws Error for what is no such key; it does not repeat it. */
export function parsePushKey(text: string): Uint8Array {
  if (!/^[0-9a-f]{64}$/i.test(text))
    throw new Error('expected 64 hexadecimal digits, for example of `openssl rand -hex 32`');
  return Buffer.from(text, 'hex');
}

/**
 * The key of a data directory that this process has locked, made at the first use and readable by its owner only. Whoever loses it loses the credentials that
 * were sealed with it, and nothing else.
 *
 * @throws Error in one line if the file cannot be used.
 */
export function pushKeyOf(dataDir: string): Secret {
  const path = join(dataDir, fileName);
  if (!existsSync(path)) make(dataDir, path);
  const text = readFileSync(path, 'utf8').trim();
  try {
    parsePushKey(text);
  } catch {
    throw new Error(
      `${path}: is no key for the credentials of notifications; restore it, or remove it and configure them anew`,
    );
  }
  return new Secret(text);
}

/** The key of accounts that users connect, for the bridge: made of the other one, which it does not show. */
export function accountKeyOf(pushKey: Secret): Secret {
  return new Secret(createHmac('sha256', parsePushKey(pushKey.reveal())).update('stopgo accounts').digest('hex'));
}

/** On disk, whole, before anything is sealed with it: after a power cut the key is the same, or was never used. */
function make(dataDir: string, path: string): void {
  const unfinished = `${path}.new`;
  writeFileSync(unfinished, randomBytes(keyBytes).toString('hex'), { mode: ownerOnly, flush: true });
  renameSync(unfinished, path);
  const folder = openSync(dataDir, 'r');
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}
