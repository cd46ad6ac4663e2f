import { ApiError, NotReached } from '@stopgo/client';
import { expect, test } from 'vitest';
import { healthOf } from '../../app/agents/health.ts';
import { asksOf, atLimitOf, limitsOf, serversOf, toldOf, toolsInShort, toolsOf } from '../../app/agents/outline.ts';
import { patchWords, readPatch } from '../../app/agents/patch.ts';
import { agentPlace, askedOf, beginPlace, isOfRepositories } from '../../app/agents/places.ts';
import { bodyOf, fieldsOf, problemOf } from '../../app/agents/repository-fields.ts';
import type { AgentNode, Definition, Repository } from '../../app/agents/types.ts';

const llm = (more: Partial<AgentNode> = {}): AgentNode => ({ type: 'llm', name: 'one', turnsMax: 10, ...more });
const defined = (root: AgentNode, platform: Partial<Definition['platform']> = {}): Definition => ({
  name: 'a',
  root,
  platform: {
    ...{ title: 'A', examples: [], allowedAgents: [], providers: [], contextScope: 'FULL', completionRequired: true },
    ...platform,
  },
});
const tree = (...children: readonly AgentNode[]) => defined({ type: 'sequential', name: 'both', children });

test.each([
  [{}, 'All tools of all tool servers'],
  [{ toolServers: [] }, 'No tools'],
  [{ toolServers: ['a', 'b'] }, 'All tools of a, b'],
  [{ toolServers: ['a'], tools: ['get_*', '!delete_*'] }, 'Of a: get_*, !delete_*'],
  [{ toolServers: [], tools: ['run_data_*'] }, 'Only run_data_*'],
  [{ tools: [] }, 'No tools'],
])('tools of %j: %s', (more, words) => {
  expect(toolsOf(llm(more))).toBe(words);
});

test('a tree is said to ask always only if each of its nodes does, and needs the servers of all of them', () => {
  const [asks, asksNot] = [llm({ approval: 'require', toolServers: ['a'] }), llm({ toolServers: ['a', 'b'] })];
  expect([tree(asks, asks), tree(asks, asksNot), tree(asksNot, asksNot)].map(asksOf)).toEqual([
    'always',
    'partly',
    'rules',
  ]);
  expect(serversOf(tree(asks, asksNot))).toEqual(['a', 'b']);
  expect(serversOf(tree(asks, llm()))).toBeUndefined();
  expect(toolsInShort(tree(asks, asksNot))).toBe('Tools: each of 2 steps its own');
});

test('limits are said in units that people know, and what becomes of it there', () => {
  const limits = { costMax: 500_000, tokensMax: 120_000, agentCallsMax: 1, onLimit: 'ask' };
  const agent = defined(llm(), { executionMinutesMax: 90, limits });
  expect(limitsOf(agent)).toEqual([
    ...['90 minutes', '$0.50', '120,000 tokens', '1 call of other agents', '10 answers of its model'],
  ]);
  expect(atLimitOf(agent)).toBe('then it stops until a person says that it goes on');
  expect(atLimitOf(defined(llm(), { limits: { ...limits, onLimit: 'end' } }))).toBe('then it ends');
  expect(limitsOf(defined(llm(), { executionMinutesMax: 43_200 }))[0]).toBe('30 days');
  expect(toldOf(defined(llm(), { contextScope: 'SPECIFIC', context: { state: ['order'], memories: [] } }))).toBe(
    'Its task, and the shared data order',
  );
});

test('an agent is ready only if the servers of its tools are, and may be old if its repository cannot be synced', () => {
  const servers = [
    { name: 'a', state: 'quarantined' },
    { name: 'a', state: 'ready' },
    { name: 'b', state: 'backoff' },
  ];
  const failed = { last_failure: { message: 'x', timestamp: null } } as Repository;
  expect(healthOf(['a'], servers, undefined)).toEqual({ tone: 'good', text: 'Ready' });
  expect(healthOf(undefined, servers, failed)).toMatchObject({ tone: 'bad', text: 'Has no tools of b now' });
  expect(healthOf(['a', 'c'], servers, undefined)).toMatchObject({ tone: 'bad', text: 'Has no tools of c now' });
  expect(healthOf(['a'], servers, failed).tone).toBe('wait');
});

test('a unified diff is read line by line, whatever the lines look like', () => {
  const patch =
    '@@ -1,3 +1,3 @@\n ---\n---dashes\n+@@ -9 +9 @@\n  indented\n@@ -40 +40,2 @@ support\n-old\n\\ No newline at end of file\n+new\n+\n';
  const [first, second] = readPatch(patch);
  expect(first?.lines).toEqual([
    { kind: 'same', text: '---', number: 1 },
    { kind: 'gone', text: '--dashes', number: 2 },
    { kind: 'new', text: '@@ -9 +9 @@', number: 2 },
    { kind: 'same', text: ' indented', number: 3 },
  ]);
  expect(second?.lines.map(({ kind, text, number }) => [kind, text, number])).toEqual([
    ['gone', 'old', 40],
    ['note', 'no line break at the end', undefined],
    ['new', 'new', 40],
    ['new', '', 41],
  ]);
  expect(patchWords(readPatch(patch))).toBe('3 lines new, 2 lines gone');
  expect(readPatch('')).toEqual([]);
});

test('the name of an agent is one part of its address, and none is taken for the repositories', () => {
  expect(agentPlace('support/billing', { commit: 'abc' })).toBe('/agents/support%2Fbilling?commit=abc');
  expect(beginPlace('a&b/c', 'v1 x')).toBe('/?agent=a%26b%2Fc&commit=v1+x');
  const [, , name = '', query = ''] = /^\/(agents)\/([^?]*)(.*)$/.exec(agentPlace('repositories')) ?? [];
  expect(isOfRepositories([name], query)).toBe(false);
  expect(isOfRepositories(['repositories'], '')).toBe(true);
  expect(isOfRepositories(['repositories', 'x'], '')).toBe(false);
  expect(askedOf('?show=versions&to=b')).toEqual({ tab: 'versions', to: 'b' });
  expect(askedOf('?show=<script>').tab).toBe('about');
});

test('a form sends what is different, and a secret only where one was given', () => {
  const before = {
    name: 'team',
    branch: 'main',
    sync_interval: '5m',
    is_active: true,
    git_url: 'x',
    is_root: false,
  } as Repository;
  expect(bodyOf(fieldsOf(before), before)).toEqual({});
  expect(bodyOf({ ...fieldsOf(before), branch: 'next', webhooks: 'none' }, before)).toEqual({
    ...{ branch: 'next', webhook_secret: null },
  });
  const added = { ...fieldsOf(), name: ' team ', git_url: 'git@host:a', auth_type: 'ssh-key', secret: 'KEY' };
  expect(bodyOf(added)).toEqual({
    ...{ name: 'team', git_url: 'git@host:a', branch: 'main', is_root: false, sync_interval: '5m' },
    ...{ auth_type: 'ssh-key', ssh_key: 'KEY\n' },
  });
});

test.each([
  ['git_url names a helper program (ext::), which is never run; use https or ssh', 400, 'git_url'],
  ['invalid request body: "branch" must be a text', 400, 'branch'],
  ['there is a repository team; change it, or choose another name', 409, 'name'],
  ['sync_interval must be a duration, for example 5m', 400, 'sync_interval'],
  ['auth_token must be 1 to 4096 characters on one line', 400, 'secret'],
  ['auth_type token goes with an https address only', 400, 'auth_type'],
  ['the name of the host is not known; check git_url and the network', 400, 'git_url'],
  ['your role USER does not allow this: repository.manage', 403, undefined],
  ['internal error of git_url', 500, undefined],
])('%s: shown at its field', (error, status, field) => {
  expect(problemOf(new ApiError(status, { error })).field).toBe(field);
  expect(problemOf(new ApiError(status, { error })).text).not.toMatch(/git_url|auth_token/);
});

test('what is no answer is about no field', () => {
  expect(problemOf(new NotReached())).toEqual({ text: 'The platform does not answer. It may be restarting.' });
});
