import { describe, expect, test } from 'vitest';
import {
  anonymous,
  apiKeyIdOf,
  apiKeyStream,
  apiKeyText,
  changeUser,
  checkIssue,
  createUser,
  evolveApiKey,
  evolveUser,
  type Fact,
  isApiKey,
  issueApiKey,
  keyProblem,
  noApiKey,
  noteKeyUse,
  noUser,
  type Principal,
  personRow,
  type RecordedFact,
  type Role,
  revokeApiKey,
  scopesOf,
  signIn,
  userIdOf,
  userStream,
} from '../../src/index.ts';

const hour = 3_600_000;
const at = (facts: readonly Fact[], time = 0, after = 0): RecordedFact[] =>
  facts.map((fact, index) => ({
    stream: 's',
    revision: after + index + 1,
    eventId: `e${index}`,
    time,
    actor: { kind: 'user', id: 'x' },
    causationId: '',
    correlationId: '',
    fact,
  }));
const as = (role: Role, id = 'boss'): Principal => ({
  ...{ kind: 'user', id, email: `${id}@example.com`, name: id, role, groups: [], via: 'token' },
});
const ana = { email: ' Ana@Example.com', name: ' Ana ', role: 'USER' } as const;
const setup = { kind: 'setup', keyId: 'k' } as const;
const idOfAna = userIdOf('ana@example.com');
const made = (role: Role = 'USER', time = 0) =>
  at(createUser(noUser(idOfAna), { ...ana, role }, as('SUPER_ADMIN')), time).reduce(evolveUser, noUser(idOfAna));

describe('users', () => {
  test('are known by their address, in whatever spelling', () => {
    expect(userIdOf(' ANA@example.COM')).toBe(idOfAna);
    expect(userIdOf('bob@example.com')).not.toBe(idOfAna);
    expect(made()).toMatchObject({ id: idOfAna, email: 'ana@example.com', name: 'Ana', active: true, revision: 1 });
  });

  test.each([
    '',
    'ana',
    'ana@',
    '@example.com',
    'a b@example.com',
    'ana@exa\u202emple.com',
    'a@b@c',
    // A Kelvin sign, whose lower case is a k, and a letter that has none in ASCII.
    '\u212aim@example.com',
    'j\u00fcrgen@example.com',
    `${'a'.repeat(250)}@b.de`,
  ])('no address: %j', (email) => {
    expect(() => createUser(noUser('i'), { ...ana, email }, as('ADMIN'))).toThrow(/^email must be/);
  });

  test.each(['', '  ', 'a\nb', 'a\u202eb', 'a'.repeat(201)])('no name: %j', (name) => {
    expect(() => createUser(noUser('i'), { ...ana, name }, as('ADMIN'))).toThrow(/^name must be/);
    expect(() => changeUser(made(), { name }, as('ADMIN'))).toThrow(/^name must be/);
  });

  test('are made once', () => {
    expect(() => createUser(made(), ana, as('ADMIN'))).toThrow(/there is a user with .*ana@example.com already/);
  });

  test.each<[Principal, Role, boolean]>([
    [as('SUPER_ADMIN'), 'SUPER_ADMIN', true],
    [as('SUPER_ADMIN'), 'USER', true],
    [as('ADMIN'), 'USER', true],
    [as('ADMIN'), 'ADMIN', false],
    [as('ADMIN'), 'SUPER_ADMIN', false],
    [as('USER'), 'USER', false],
    [setup, 'SUPER_ADMIN', true],
    [setup, 'ADMIN', false],
    [setup, 'USER', false],
    [anonymous, 'SUPER_ADMIN', true],
  ])('%j makes %s: %s', (by, role, isAllowed) => {
    const create = () => createUser(noUser(idOfAna), { ...ana, role }, by);
    const change = () => changeUser(made('USER'), { role }, by);
    if (isAllowed) {
      expect(create()).toHaveLength(1);
    } else {
      expect(create).toThrow();
      if (by.kind !== 'setup') expect(change).toThrow();
    }
  });

  test('an administrator does not change another one, and nobody ends their own administration', () => {
    expect(() => changeUser(made('ADMIN'), { active: false }, as('ADMIN'))).toThrow(/only a SUPER_ADMIN/);
    const self = as('SUPER_ADMIN', idOfAna);
    const user = made('SUPER_ADMIN');
    expect(() => changeUser(user, { active: false }, self)).toThrow(/yourself/);
    expect(() => changeUser(user, { role: 'USER' }, self)).toThrow(/yourself/);
    expect(changeUser(user, { name: 'Anna' }, self)).toHaveLength(1);
  });

  test('change by what is new of them, and nothing is recorded twice', () => {
    const user = made();
    const facts = changeUser(user, { name: 'Anna', role: 'ADMIN', active: false }, as('SUPER_ADMIN'));
    const changed = at(facts, 5, 1).reduce(evolveUser, user);
    expect(changed).toMatchObject({ name: 'Anna', active: false, revision: 2, email: 'ana@example.com' });
    expect(changeUser(changed, { name: 'Anna', role: 'ADMIN', active: false }, as('SUPER_ADMIN'))).toEqual([]);
    expect(() => changeUser(noUser('i'), {}, as('ADMIN'))).toThrow(/there is no user i/);
  });

  test('sign in: noted once an hour, or with other groups; made only where that is allowed', () => {
    const said = { email: 'ana@example.com', name: 'Ana', groups: ['finance'], issuedAt: 0 };
    expect(signIn(noUser(idOfAna), said, false, 0)).toEqual([]);
    const user = at(signIn(noUser(idOfAna), { ...said, name: '' }, true, 0)).reduce(evolveUser, noUser(idOfAna));
    expect(user).toMatchObject({ name: 'ana@example.com', groups: ['finance'], active: true, revision: 2 });
    expect(signIn(user, said, true, hour - 1)).toEqual([]);
    expect(signIn(user, said, true, hour)).toHaveLength(1);
    expect(signIn(user, { ...said, groups: [] }, true, 1)).toHaveLength(1);
    const gone = at(changeUser(user, { active: false }, as('ADMIN')), 1, 2).reduce(evolveUser, user);
    expect(signIn(gone, said, true, hour)).toEqual([]);
  });
});

test('a sign-in is not noted if a later token was: groups that were lost do not come back with an old one', () => {
  const said = { email: 'ana@example.com', name: 'Ana', groups: [] as string[], issuedAt: 10_000 };
  const user = at(signIn(made(), said, false, 20_000), 20_000, 1).reduce(evolveUser, made());
  const old = { ...said, groups: ['finance'], issuedAt: 9_000 };
  expect(signIn(user, old, false, 30_000)).toEqual([]);
  expect(signIn(user, old, false, 20_000 + hour)).toEqual([]);
  // One that was issued before the last sign-in, and after the token of that, is a later one.
  expect(signIn(user, { ...old, issuedAt: 11_000 }, false, 30_000)).toHaveLength(1);
  // A clock that is ahead keeps nobody from being noted.
  const ahead = at(signIn(user, { ...said, groups: ['ops'], issuedAt: 10 * hour }, false, 40_000), 40_000, 2);
  const later = ahead.reduce(evolveUser, user);
  expect(signIn(later, { ...old, issuedAt: 41_000 }, false, 42_000)).toHaveLength(1);
});

test('a token that does not say when it was issued leaves no groups, and changes none', () => {
  const said = { email: 'ana@example.com', name: 'Ana', groups: ['finance'] };
  const user = at(signIn(made(), said, false, 1), 1, 1).reduce(evolveUser, made());
  expect(user).toMatchObject({ groups: [], lastSignInAt: expect.anything(), revision: 2 });
  expect(user.groupsAsOf).toBeUndefined();
  expect([signIn(user, said, false, 2), signIn(user, said, false, 1 + hour)]).toMatchObject([[], [expect.anything()]]);
  const dated = at(signIn(user, { ...said, groups: ['ops'], issuedAt: 2 }, false, 3), 3, 2).reduce(evolveUser, user);
  expect(dated.groups).toEqual(['ops']);
  expect([signIn(dated, said, false, 4), signIn(dated, said, false, 4 + hour)]).toEqual([[], []]);
  // As recorded by a version that noted them.
  const earlier = { ...user, groups: ['finance'] };
  expect(at(signIn(earlier, said, false, 2), 2, 2).reduce(evolveUser, earlier).groups).toEqual([]);
});

describe('API keys', () => {
  const text = apiKeyText(new Uint8Array(32).fill(7));
  const id = apiKeyIdOf(text);
  const wanted = { userId: 'u', name: 'ci', scopes: ['read', 'read'], expiresAt: hour };
  const key = at(issueApiKey(text, wanted, 0)).reduce(evolveApiKey, noApiKey(id));

  test('are known by their digest; of their text only the beginning is kept', () => {
    expect(isApiKey(text)).toBe(true);
    expect(isApiKey(`${text}a`)).toBe(false);
    expect(key).toMatchObject({ id, userId: 'u', name: 'ci', prefix: text.slice(0, 8), scopes: ['read'] });
    const facts = issueApiKey(text, wanted, 0);
    expect(JSON.stringify(facts, (_, value) => (typeof value === 'bigint' ? String(value) : value))).not.toContain(
      text.slice(0, 12),
    );
  });

  test('end by time and by being revoked', () => {
    expect([keyProblem(key, hour - 1), keyProblem(key, hour), keyProblem(noApiKey(id), 0)]).toEqual([
      undefined,
      'expired',
      'unknown',
    ]);
    const revoked = at(revokeApiKey(key), 1, 1).reduce(evolveApiKey, key);
    expect(keyProblem(revoked, 2)).toBe('revoked');
    expect(revokeApiKey(revoked)).toEqual([]);
    expect(noteKeyUse(revoked, hour * 2)).toEqual([]);
  });

  test('their use is noted once an hour', () => {
    const used = at(noteKeyUse(key, 0), 0, 1).reduce(evolveApiKey, key);
    expect([noteKeyUse(used, hour / 2), noteKeyUse(used, hour)]).toEqual([[], []]);
    const lasting = { ...used };
    delete lasting.expiresAt;
    expect(noteKeyUse(lasting, hour)).toHaveLength(1);
  });

  test('scopes: none restricts nothing, one that is not known allows nothing', () => {
    expect(scopesOf({ ...key, scopes: [] })).toBeUndefined();
    expect(scopesOf({ ...key, scopes: ['of tomorrow'] })).toEqual([]);
    expect(() => issueApiKey(text, { ...wanted, scopes: ['root'] }, 0)).toThrow(/there is no "root"/);
    expect(() => issueApiKey(text, { ...wanted, expiresAt: 5 }, 5)).toThrow(/expires_at must be in the future/);
  });

  test('the row of a stream is the same whether it is made at once or event by event', () => {
    const facts = at([...issueApiKey(text, wanted, 0), ...revokeApiKey(key)]);
    const stream = apiKeyStream(id);
    const [first, second] = facts;
    if (first === undefined || second === undefined) throw new Error('two facts');
    const before = personRow(stream, undefined, [first]);
    expect(personRow(stream, before.bytes, [second])).toEqual(personRow(stream, undefined, facts));
    expect(before).toMatchObject({ kind: 'api_key', ofUser: 'u', revision: 1 });
    const ofUser = at(createUser(noUser(idOfAna), ana, as('ADMIN')));
    expect(personRow(userStream(idOfAna), undefined, ofUser)).toMatchObject({ kind: 'user', ofUser: '', revision: 1 });
  });
});

describe('who makes a key for whom', () => {
  const wanted = { userId: idOfAna, name: 'ci', scopes: [] as string[], expiresAt: undefined as number | undefined };
  const issues = (
    by: Principal,
    user = made(),
    more: Partial<typeof wanted> = {},
    keys: Parameters<typeof checkIssue>[3] = [],
  ) => checkIssue(by, user, { ...wanted, ...more }, keys, hour);
  const self = (more: object = {}): Principal => ({ ...as('USER', idOfAna), ...more }) as Principal;
  const signedIn = at(
    signIn(made(), { email: 'ana@example.com', name: 'Ana', groups: ['finance'] }, false, 1),
    1,
    1,
  ).reduce(evolveUser, made());
  const used = {
    ...noApiKey('k'),
    lastUsedAt: { $typeName: 'google.protobuf.Timestamp' as const, seconds: 1n, nanos: 0 },
  };

  const unused = { ...noApiKey('k'), revision: 1 };

  test('people make their own, whatever they have', () => {
    expect(() => issues(self(), signedIn, {}, [used])).not.toThrow();
  });

  test.each<[string, Principal, Parameters<typeof issues>[1], Parameters<typeof issues>[3], boolean]>([
    ['a super administrator, for somebody who has never signed in', as('SUPER_ADMIN'), made(), [], true],
    ['the same once a key of theirs was used', as('SUPER_ADMIN'), made(), [used], false],
    ['the same while they have one', as('SUPER_ADMIN'), made(), [unused], false],
    ['the same once that has ended', as('SUPER_ADMIN'), made(), [{ ...unused, revokedAt: used.lastUsedAt }], true],
    ['an administrator, for somebody who has never signed in', as('ADMIN'), made(), [], false],
    ['a super administrator, for somebody who has signed in', as('SUPER_ADMIN'), signedIn, [], false],
    ['an administrator, for another', as('ADMIN'), made('ADMIN'), [], false],
    ['an administrator, for a super administrator', as('ADMIN'), made('SUPER_ADMIN'), [], false],
    ['a super administrator, for a new administrator', as('SUPER_ADMIN'), made('ADMIN'), [], true],
    ['a user, for somebody else', as('USER'), made(), [], false],
  ])('%s', (_, by, user, keys, may) => {
    const act = () => issues(by, user, {}, keys);
    if (may) expect(act).not.toThrow();
    else expect(act).toThrow(expect.objectContaining({ kind: 'permission_denied' }));
  });

  test.each<[string, object, Partial<typeof wanted>, boolean]>([
    ['all scopes with some', { scopes: ['admin'] }, {}, false],
    ['another scope', { scopes: ['admin'] }, { scopes: ['admin', 'approve'] }, false],
    ['fewer scopes', { scopes: ['admin', 'read'] }, { scopes: ['read'] }, true],
    ['no end with one that ends', { until: hour }, {}, false],
    ['a later end', { until: hour }, { expiresAt: hour + 1 }, false],
    ['the same end', { until: hour }, { expiresAt: hour }, true],
  ])('a key makes none that may more than itself: %s', (_, presented, more, may) => {
    const act = () => issues(self({ via: 'api_key', ...presented }), made(), more);
    if (may) expect(act).not.toThrow();
    else expect(act).toThrow(expect.objectContaining({ kind: 'permission_denied' }));
  });

  test('there is none for nobody', () => {
    expect(() => issues(as('SUPER_ADMIN'), noUser('x'))).toThrow(expect.objectContaining({ kind: 'not_found' }));
  });
});
