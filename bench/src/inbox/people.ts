import { generateKeyPairSync, sign } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** People who sign in with tokens of an issuer of the bench's own. */
export type People = {
  /** The part `auth` of a configuration that takes these tokens. */
  readonly auth: object;
  /** A token of somebody in these groups, for an hour. */
  tokenOf(name: string, groups: readonly string[]): string;
  remove(): void;
};

const issuer = 'https://id.bench.example/';
const audience = 'bench';
const encoded = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');

/** Makes the issuer; its public key is in a folder that is gone at the latest when this process ends. */
export function people(): People {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const folder = mkdtempSync(join(tmpdir(), 'stopgo-bench-keys-'));
  const remove = (): void => {
    process.off('exit', remove);
    rmSync(folder, { recursive: true, force: true });
  };
  process.once('exit', remove);
  const keys = join(folder, 'keys.json');
  writeFileSync(keys, JSON.stringify({ keys: [{ ...publicKey.export({ format: 'jwk' }), kid: 'one', alg: 'ES256' }] }));
  const tokenOf = (name: string, groups: readonly string[]): string => {
    const exp = Math.floor(Date.now() / 1_000) + 3_600;
    const claims = { iss: issuer, aud: audience, email: `${name}@bench.example`, name, groups, exp };
    const text = `${encoded({ alg: 'ES256', kid: 'one' })}.${encoded(claims)}`;
    const signature = sign('sha256', Buffer.from(text), { key: privateKey, dsaEncoding: 'ieee-p1363' });
    return `${text}.${signature.toString('base64url')}`;
  };
  return { auth: { new_users: 'first_login', jwt: { issuer, audience, keys_file: keys } }, tokenOf, remove };
}
