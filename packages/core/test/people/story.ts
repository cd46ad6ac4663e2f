import {
  anonymous,
  apiKeyIdOf,
  apiKeyStream,
  apiKeyText,
  changeUser,
  createUser,
  evolveApiKey,
  evolveUser,
  type Fact,
  issueApiKey,
  noApiKey,
  noteKeyUse,
  noUser,
  type RecordedFact,
  revokeApiKey,
  type StreamName,
  signIn,
  userIdOf,
  userStream,
} from '@stopgo/core';

const hour = 3_600_000;

/** The streams of a user and of a key of theirs, with every kind of event. */
export function toldOfPeople(): readonly { readonly stream: StreamName; readonly events: readonly RecordedFact[] }[] {
  const id = userIdOf('ana@example.com');
  const ofUser = new Told(userStream(id));
  let user = noUser(id);
  const tellUser = (time: number, facts: readonly Fact[]) => {
    user = ofUser.add(time, facts).reduce(evolveUser, user);
  };
  tellUser(0, createUser(user, { email: 'ana@example.com', name: 'Ana', role: 'ADMIN' }, anonymous));
  tellUser(
    1,
    signIn(user, { email: 'ana@example.com', name: 'Ana', groups: ['finance', 'ops'], issuedAt: 1 }, false, 1),
  );
  tellUser(2, changeUser(user, { name: 'Anna', role: 'USER', active: false }, anonymous));

  const text = apiKeyText(new Uint8Array(32).fill(5));
  const ofKey = new Told(apiKeyStream(apiKeyIdOf(text)));
  let key = noApiKey(apiKeyIdOf(text));
  const tellKey = (time: number, facts: readonly Fact[]) => {
    key = ofKey.add(time, facts).reduce(evolveApiKey, key);
  };
  tellKey(0, issueApiKey(text, { userId: id, name: 'ci', scopes: ['read', 'approve'], expiresAt: hour }, 0));
  tellKey(1, noteKeyUse(key, 1));
  tellKey(2, revokeApiKey(key));
  return [ofUser, ofKey];
}

class Told {
  readonly stream: StreamName;
  readonly events: RecordedFact[] = [];

  constructor(stream: StreamName) {
    this.stream = stream;
  }

  add(time: number, facts: readonly Fact[]): RecordedFact[] {
    const more = facts.map((fact, index) => ({
      ...{ stream: this.stream, revision: this.events.length + index + 1, eventId: '', time, causationId: '' },
      ...{ actor: { kind: 'system', id: 'approvals-1' } as const, correlationId: '', fact },
    }));
    this.events.push(...more);
    return more;
  }
}
