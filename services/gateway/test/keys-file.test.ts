import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { expect, onTestFinished, test } from 'vitest';
import { keysCacheMs, keysCooldownMs } from '../src/auth/bounds.ts';
import { tokenCheck } from '../src/auth/tokens.ts';

/** A file of public keys, who may sign with them, and a check of tokens by it at a time that the test sets. */
async function keysFile() {
  const folder = mkdtempSync(join(tmpdir(), 'keys-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'keys.json');
  const make = async (kid: string) => ({ kid, ...(await generateKeyPair('ES256')) });
  const keep = async (...keys: Awaited<ReturnType<typeof make>>[]) => {
    const all = keys.map(async ({ kid, publicKey }) => ({ ...(await exportJWK(publicKey)), kid, alg: 'ES256' }));
    writeFileSync(path, JSON.stringify({ keys: await Promise.all(all) }));
  };
  const clock = { now: 1_000_000_000_000 };
  const first = await make('first');
  await keep(first);
  const rules = {
    ...{ issuer: 'i', audience: 'a', clockSkewMs: 0, keys: { kind: 'file', path } as const, groups: undefined },
    ...{ emailClaim: 'email', nameClaim: 'name', groupsClaim: 'groups' },
  };
  const check = tokenCheck(rules, () => clock.now);
  const isTaken = async ({ kid, privateKey }: Awaited<ReturnType<typeof make>>) => {
    const token = await new SignJWT({ email: 'ana@x.example' })
      .setProtectedHeader({ alg: 'ES256', kid })
      .setIssuer('i')
      .setAudience('a')
      .setExpirationTime(clock.now / 1_000 + 3_600)
      .sign(privateKey);
    return check(token).then(
      () => true,
      (error) => {
        expect(error).toMatchObject({ kind: 'unauthenticated' });
        return false;
      },
    );
  };
  return { path, clock, first, make, keep, isTaken, check };
}

test('a key that comes into the file is taken, and the file is read again once in a while only', async () => {
  const { clock, first, make, keep, isTaken } = await keysFile();
  const [second, third] = [await make('second'), await make('third')];
  await keep(first, second);
  expect([await isTaken(second), await isTaken(first)]).toEqual([true, true]);
  await keep(first, third);
  // Anybody can name a key that is not there: that reads nothing now.
  expect(await isTaken(third)).toBe(false);
  clock.now += keysCooldownMs;
  expect([await isTaken(third), await isTaken(second)]).toEqual([true, false]);
});

test('a file that is half written leaves the keys as they were', async () => {
  const { path, clock, first, make, keep, isTaken } = await keysFile();
  const second = await make('second');
  writeFileSync(path, '{"keys":[');
  expect([await isTaken(second), await isTaken(first)]).toEqual([false, true]);
  await keep(second);
  clock.now += keysCooldownMs;
  expect([await isTaken(second), await isTaken(first)]).toEqual([true, false]);
});

test('a key that is taken out of the file is taken no more, some minutes later, whether or not somebody names one that is not there', async () => {
  const { path, clock, first, make, keep, isTaken } = await keysFile();
  const second = await make('second');
  await keep(second);
  clock.now += keysCacheMs - 1;
  expect(await isTaken(first)).toBe(true);
  clock.now += 1;
  expect([await isTaken(first), await isTaken(second)]).toEqual([false, true]);
  writeFileSync(path, '{"keys":[');
  clock.now += keysCacheMs;
  expect(await isTaken(second)).toBe(true);
});

test('a token that does not say which of several keys signed it is told so', async () => {
  const { clock, first, make, keep, check } = await keysFile();
  await keep(first, await make('second'));
  clock.now += keysCacheMs;
  const token = await new SignJWT({ email: 'ana@x.example' })
    .setProtectedHeader({ alg: 'ES256' })
    .setIssuer('i')
    .setAudience('a')
    .setExpirationTime(clock.now / 1_000 + 60)
    .sign(first.privateKey);
  await expect(check(token)).rejects.toThrow('does not say which of the keys signed it (kid)');
});
