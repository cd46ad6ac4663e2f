import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { exportJWK, type JWK, type JWTPayload, SignJWT } from 'jose';

/** An issuer of tokens, and what they are for. */
export const issuer = 'https://id.example/';
export const audience = 'stopgo';
/** What it signs with. */
export const keys = generateKeyPairSync('rsa', { modulusLength: 2048 });
export const publicPem = keys.publicKey.export({ type: 'spki', format: 'pem' }).toString();

/** The part `jwt` of `auth` for a platform that takes this issuer's tokens; its keys are put into a file of the folder. */
export async function jwtTaken(folder: string): Promise<string> {
  const file = join(folder, 'keys.json');
  writeFileSync(file, JSON.stringify({ keys: [{ ...(await exportJWK(keys.publicKey)), kid: 'one', alg: 'RS256' }] }));
  return `{ issuer: ${issuer}, audience: ${audience}, keys_file: ${JSON.stringify(file)} }`;
}

export const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

/** A token of somebody, with more claims or other ones. */
export function tokenOf(
  email: string,
  more: JWTPayload = {},
  header: { alg?: string; kid?: string } = {},
): Promise<string> {
  return new SignJWT({ iss: issuer, aud: audience, email, name: email.split('@')[0] ?? '', ...more })
    .setProtectedHeader({ alg: 'RS256', kid: 'one', ...header })
    .setIssuedAt(more.iat)
    .setExpirationTime((more.exp as number | undefined) ?? '1h')
    .sign(keys.privateKey);
}

export const encoded = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
export const inAnHour = () => Math.floor(Date.now() / 1_000) + 3_600;

/** A token put together by hand, with whatever signature. */
export function forged(header: object, sign: (text: string) => string): string {
  const text = `${encoded(header)}.${encoded({ iss: issuer, aud: audience, email: 'boss@x.example', exp: inAnHour() })}`;
  return `${text}.${sign(text)}`;
}

/** A token of the administrator, signed with a key of the caller's own. */
export async function signedBy(own: KeyObject, header: { readonly kid?: string; readonly jwk?: JWK }): Promise<string> {
  return new SignJWT({ iss: issuer, aud: audience, email: 'boss@x.example' })
    .setProtectedHeader({ alg: 'RS256', ...header })
    .setExpirationTime('1h')
    .sign(own);
}
