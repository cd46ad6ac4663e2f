import { beforeEach, expect, test, vi } from 'vitest';
import { readLogin } from '../../app/api/login.ts';
import { beginAsWhoIsThere, mustSignIn, signIn, signOut } from '../../app/state/session.ts';

let kept: Map<string, string>;
let reloads: number;
let status: number;
let followed: number;

beforeEach(() => {
  kept = new Map([
    ['stopgo.draft.new', 'what Ada was writing'],
    ['stopgo.draft.c1', 'to c1'],
    ['stopgo.try.new', '{"content":"sent"}'],
    ['stopgo.api-key', 'of Ada'],
    ['of another app', 'x'],
  ]);
  reloads = 0;
  status = 200;
  followed = 0;
  vi.stubGlobal('sessionStorage', {
    getItem: (name: string) => kept.get(name) ?? null,
    setItem: (name: string, value: string) => kept.set(name, value),
    removeItem: (name: string) => kept.delete(name),
    key: (index: number) => [...kept.keys()][index] ?? null,
    get length() {
      return kept.size;
    },
  });
  vi.stubGlobal('location', {
    reload: () => {
      reloads += 1;
    },
  });
  const page = { addEventListener: () => undefined, removeEventListener: () => undefined };
  vi.stubGlobal('window', page);
  vi.stubGlobal('document', page);
  vi.stubGlobal('navigator', {});
  // The stream of approvals never says anything.
  vi.stubGlobal('fetch', (path: string) => {
    if (!path.includes('/events')) return Promise.resolve(new Response('{"error":"no"}', { status }));
    followed += 1;
    return new Promise(() => undefined);
  });
  vi.stubGlobal(
    'BroadcastChannel',
    class {
      addEventListener() {}
    },
  );
  return () => {
    readLogin({ querySelector: () => null });
    vi.unstubAllGlobals();
  };
});

/** A page that the server has made for somebody; null: for nobody who is signed in. */
function open(person: string | null): void {
  const content = JSON.stringify({ login: 'Example', person, renew_in_ms: null });
  readLogin({ querySelector: () => ({ getAttribute: () => content }) as never });
  beginAsWhoIsThere();
}

test('whoever signs in next finds nothing of the one before', async () => {
  expect(await signIn('of Ben')).toBe(false);
  expect([...kept]).toEqual([
    ['stopgo.api-key', 'of Ben'],
    ['of another app', 'x'],
  ]);
  expect(reloads).toBe(1);
});

test('signing out leaves nothing behind', async () => {
  await signOut();
  expect([...kept.keys()]).toEqual(['of another app']);
  expect(reloads).toBe(1);
});

test('a wrong key in between hides nothing: the next one is another one', async () => {
  status = 401;
  await expect(signIn('wrong')).rejects.toThrow('no');
  expect([...kept.keys()]).not.toContain('stopgo.api-key');
  expect(reloads).toBe(0);
  status = 200;
  await signIn('of Ben');
  expect(kept.has('stopgo.draft.new')).toBe(false);
});

test('the same person goes on where they were', async () => {
  expect(await signIn('of Ada')).toBe(true);
  expect(kept.get('stopgo.draft.new')).toBe('what Ada was writing');
  expect(reloads).toBe(0);
  // Its stream is asked for soon after; that belongs to this test, and not to the time after it.
  await expect.poll(() => followed).toBe(1);
});

test('who comes back after their session has ended finds what they wrote, and somebody else does not', () => {
  kept.delete('stopgo.api-key');
  open('ada');
  open(null);
  expect(mustSignIn()).toBe(true);
  open('ada');
  expect(mustSignIn()).toBe(false);
  expect(kept.get('stopgo.draft.new')).toBe('what Ada was writing');
  open(null);
  open('ben');
  expect([...kept.keys()]).toEqual(['of another app', 'stopgo.person']);
});
