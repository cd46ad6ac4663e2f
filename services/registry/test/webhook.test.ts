import { createHmac } from 'node:crypto';
import { Secret } from '@stopgo/rpc';
import { expect, test } from 'vitest';
import { receiveWebhook } from '../src/webhook/receive.ts';

const secret = 'a secret of this repository';
const hmac = (body: string, key = secret) => createHmac('sha256', key).update(body).digest('hex');

/** What hosts send of a push, as far as it is of interest here. */
const bodies = {
  github: JSON.stringify({
    ref: 'refs/heads/production',
    before: '6113728f27ae82c7b1a177c8d03f9e96e0adf246',
    after: '0000000000000000000000000000000000000000',
    deleted: false,
    repository: { full_name: 'company/agents', default_branch: 'production' },
    pusher: { name: 'ana', email: 'ana@example.org' },
    commits: [{ id: '0d1a26e67d8f5eaf1f6ba5c57fc3c7d91ac0fd1c', modified: ['support/prompt.md'] }],
  }),
  gitlab: JSON.stringify({
    object_kind: 'push',
    ref: 'refs/heads/production',
    checkout_sha: 'da1560886d4f094c3e6c9ef40349f7d38b5d27d7',
    project: { path_with_namespace: 'company/agents' },
    total_commits_count: 1,
  }),
  gitea: JSON.stringify({
    ref: 'refs/heads/production',
    compare_url: 'https://git.example.org/company/agents/compare/a...b',
    repository: { full_name: 'company/agents' },
  }),
};

const nothing = { contentType: 'application/json', hubSignature: '', giteaSignature: '', gitlabToken: '' };

function received(
  sent: Partial<Parameters<typeof receiveWebhook>[1]>,
  given: { isActive?: boolean; secret?: string | null } = {},
) {
  let syncs = 0;
  const repository = {
    options: {
      name: 'main',
      isActive: given.isActive ?? true,
      ...(given.secret === null ? {} : { webhookSecret: new Secret(given.secret ?? secret) }),
    },
    record: { state: { source: { branch: 'production' } } },
    syncSoon: () => {
      syncs += 1;
    },
  };
  const answer = receiveWebhook([repository], {
    name: 'main',
    event: 'push',
    body: new Uint8Array(),
    ...nothing,
    ...sent,
  });
  return { ...answer, begun: syncs };
}

const bytes = (text: string) => new TextEncoder().encode(text);
const fromGithub = (body: string, key = secret) => ({ body: bytes(body), hubSignature: `sha256=${hmac(body, key)}` });
const form = `payload=${encodeURIComponent(bodies.github)}`;

test.each([
  ['GitHub', fromGithub(bodies.github)],
  ['GitHub, as a form', { ...fromGithub(form), contentType: 'application/x-www-form-urlencoded; charset=utf-8' }],
  ['GitLab', { event: 'Push Hook', body: bytes(bodies.gitlab), gitlabToken: secret }],
  ['Gitea', { body: bytes(bodies.gitea), giteaSignature: hmac(bodies.gitea).toUpperCase() }],
])('a push to the branch that comes from %s begins a sync', (_host, sent) => {
  expect(received(sent)).toEqual({ syncs: true, reason: '', begun: 1 });
});

test('the signature is that of the body as GitHub publishes it for trying', () => {
  const sent = {
    body: bytes('Hello, World!'),
    hubSignature: 'sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17',
  };
  expect(received(sent, { secret: "It's a Secret to Everybody" }).reason).toContain('it is no JSON');
});

test.each([
  ['no proof', { body: bytes(bodies.github) }],
  ['the signature of another body', { ...fromGithub(`${bodies.github} `), body: bytes(bodies.github) }],
  ['the signature under another secret', fromGithub(bodies.github, `${secret}!`)],
  ['a signature without its kind', { body: bytes(bodies.github), hubSignature: hmac(bodies.github) }],
  ['a part of a signature', { body: bytes(bodies.github), hubSignature: `sha256=${hmac(bodies.github)}`.slice(0, -1) }],
  [
    'the signature of Gitea with its kind',
    { body: bytes(bodies.gitea), giteaSignature: `sha256=${hmac(bodies.gitea)}` },
  ],
  ['a part of the token', { body: bytes(bodies.gitlab), gitlabToken: secret.slice(0, -1), event: 'Push Hook' }],
  ['the token in the place of a signature', { body: bytes(bodies.github), hubSignature: secret }],
])('%s is refused', (_which, sent) => {
  expect(() => received(sent)).toThrow('the webhook is not proven');
});

test('a repository without a secret is not told apart from one that is not there', () => {
  const words = 'no webhooks are taken here for a repository of this name';
  expect(() => received(fromGithub(bodies.github), { secret: null })).toThrow(words);
  expect(() => received({ ...fromGithub(bodies.github), name: 'other' })).toThrow(words);
  expect(() => received({ body: bytes(bodies.gitlab), gitlabToken: '' }, { secret: null })).toThrow(words);
});

test('what is proven and no push to the branch begins nothing, and is told why', () => {
  const pushTo = (ref: unknown) => received(fromGithub(JSON.stringify({ ref })));
  expect(pushTo('refs/heads/next')).toEqual({
    ...{ syncs: false, begun: 0 },
    reason: 'the push is to refs/heads/next; agents are taken from the branch production',
  });
  expect(pushTo('refs/tags/production').syncs).toBe(false);
  expect(pushTo(undefined).reason).toContain('it names no "ref"');
  expect(pushTo(['refs/heads/production']).syncs).toBe(false);
  expect(received(fromGithub('null')).reason).toContain('it names no "ref"');
  expect(received({ ...fromGithub(bodies.github), event: 'ping' }).reason).toBe('the event ping is no push');
  expect(() => received(fromGithub(bodies.github), { isActive: false })).toThrow('is not active');
});
