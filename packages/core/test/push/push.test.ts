import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { toJson } from '@bufbuild/protobuf';
import {
  attemptPush,
  claimPush,
  configurePush,
  decodeRecorded,
  evolvePush,
  type FactName,
  liveConfigs,
  noPush,
  releasePush,
  removePush,
  tellWebhooks,
} from '@stopgo/core';
import { facts, views } from '@stopgo/proto';
import { describe, expect, test } from 'vitest';
import { pushConfigsMax } from '../../src/text/bounds.ts';
import { fromBase64 } from '../golden/lines.ts';
import { attempt, config, conversationId, nobodyElse, owner, PushStory, told } from './story.ts';

test('a recorded push stream still gives what it gave', () => {
  const lines = readFileSync(join(import.meta.dirname, 'told.jsonl'), 'utf8')
    .trimEnd()
    .split('\n');
  const seen = new Set<FactName>();
  let push = noPush(conversationId);
  for (const line of lines) {
    const { envelope, push: expected } = JSON.parse(line);
    const event = decodeRecorded({ envelope: fromBase64(envelope) });
    seen.add(event.fact.case);
    push = evolvePush(push, event);
    expect(toJson(views.PushSchema, push)).toEqual(expected);
  }
  const kinds = facts.PayloadSchema.oneofs[0]?.fields.map((field) => field.localName) ?? [];
  expect(kinds.filter((kind) => kind.startsWith('push')).filter((kind) => !seen.has(kind as FactName))).toEqual([]);
});

describe('a claim', () => {
  test('is one instance’s until it is released, or the instance may be followed', () => {
    const story = new PushStory().and((push) => configurePush(push, config('a')));
    story.and((push) => claimPush(push, 'one', nobodyElse));
    expect(claimPush(story.push, 'other', nobodyElse)).toEqual([]);
    story.and((push) => claimPush(push, 'other', (instance) => instance === 'one'));
    expect([story.push.ownerInstance, story.push.epoch]).toEqual(['other', 2]);
    // What the first one says now counts no more; nor what the second one said in another claim.
    for (const late of [owner, { instance: 'one', epoch: 1 }, { instance: 'other', epoch: 1 }]) {
      expect(attemptPush(story.push, late, attempt('a', 4))).toEqual([]);
      expect(releasePush(story.push, late, 9)).toEqual([]);
    }
    const other = { instance: 'other', epoch: 2 };
    story.and((push) => attemptPush(push, other, attempt('a', 4))).and((push) => releasePush(push, other, 9));
    expect([story.push.ownerInstance, story.push.settledRevision]).toEqual(['', 9]);
  });
});

describe('an attempt', () => {
  const claimed = () =>
    new PushStory()
      .and((push) => configurePush(push, config('a')))
      .and((push) => claimPush(push, owner.instance, nobodyElse));

  test('that was delivered is not recorded twice, nor for what is not told', () => {
    const story = claimed().and((push) => attemptPush(push, owner, attempt('a', 4)));
    expect(attemptPush(story.push, owner, attempt('a', 4))).toEqual([]);
    expect(attemptPush(story.push, owner, attempt('b', 5))).toEqual([]);
    story.and((push) => removePush(push, 'a'));
    expect(attemptPush(story.push, owner, attempt('a', 5))).toEqual([]);
  });

  test('that failed is counted until one is delivered', () => {
    const story = claimed();
    const failed = attempt('a', 4, { delivered: false, reason: 'no' });
    for (let n = 1; n <= 3; n++) story.and((push) => attemptPush(push, owner, failed));
    expect(story.push.configs[0]).toMatchObject({ failures: 3, failure: 'no', throughRevision: 1, deliveries: 0 });
    story.and((push) => attemptPush(push, owner, attempt('a', 4)));
    expect(story.push.configs[0]).toMatchObject({ failures: 0, failure: '', throughRevision: 4, deliveries: 1 });
  });
});

describe('a config', () => {
  test('that is made again goes on from where it was, unless it was given up', () => {
    const story = told();
    // Given up at 1, made again after 9.
    expect(story.push.configs).toMatchObject([{ id: 'b', throughRevision: 9, failures: 0, givenUp: false }]);
    story.and((push) => configurePush(push, config('b', { url: 'https://other.example/', afterRevision: 20 })));
    expect(story.push.configs).toMatchObject([{ url: 'https://other.example/', throughRevision: 9 }]);
  });

  test('makes a conversation due from where it is to be told', () => {
    const story = new PushStory().and((push) => configurePush(push, config('a', { afterRevision: 5 })));
    expect(story.push.settledRevision).toBe(5);
    story.and((push) => claimPush(push, owner.instance, nobodyElse)).and((push) => releasePush(push, owner, 9));
    story.and((push) => configurePush(push, config('b', { afterRevision: 7 })));
    expect(story.push.settledRevision).toBe(7);
  });

  test('of a webhook takes the place of no address, whatever id that was given once', () => {
    const named = [{ webhook: 'ops', revision: 3 }];
    const story = new PushStory()
      .and((push) => configurePush(push, config('webhook:ops')))
      .and((push) => tellWebhooks(push, named));
    expect(story.push.configs).toMatchObject([
      { id: 'webhook:ops', url: 'https://webhook:ops.example/', webhook: '' },
      { id: 'webhook:webhook:ops', url: '', webhook: 'ops', throughRevision: 2 },
    ]);
    expect(tellWebhooks(story.push, named)).toEqual([]);
    expect(tellWebhooks(noPush(conversationId), named)).toMatchObject([{ value: { configId: 'webhook:ops' } }]);
  });

  test('is one of a few', () => {
    const story = new PushStory();
    for (let n = 0; n < pushConfigsMax; n++) story.and((push) => configurePush(push, config(`c${n}`)));
    expect(() => configurePush(story.push, config('more'))).toThrow(/which is the most/);
    story.and((push) => configurePush(push, config('c0', { scheme: 'Bearer' })));
    story.and((push) => removePush(push, 'c1')).and((push) => removePush(push, 'c1'));
    expect(liveConfigs(story.push).length).toBe(pushConfigsMax - 1);
  });
});
