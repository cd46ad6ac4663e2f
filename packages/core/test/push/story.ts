import {
  attemptPush,
  claimPush,
  configurePush,
  evolvePush,
  type Fact,
  noPush,
  type PushAttempt,
  pushStream,
  type RecordedFact,
  releasePush,
  removePush,
} from '@stopgo/core';
import type { views } from '@stopgo/proto';
import type { PushConfiguring } from '../../src/conversation/decide-push.ts';

export const conversationId = '00000000-0000-4000-8000-00000000c0de';
export const owner = { instance: 'orchestrator-1', epoch: 1 };

export const config = (id: string, more: Partial<PushConfiguring> = {}): PushConfiguring => ({
  id,
  url: `https://${id}.example/`,
  protocolVersion: '1.0',
  scheme: '',
  sealed: new Uint8Array(),
  keyId: '',
  afterRevision: 1,
  ...more,
});

export const attempt = (configId: string, eventRevision: number, more: Partial<PushAttempt> = {}): PushAttempt => ({
  configId,
  eventRevision,
  delivered: true,
  reason: '',
  givenUp: false,
  taskState: 'TASK_STATE_WORKING',
  ...more,
});

export const nobodyElse = (): boolean => false;

/** A push stream that is being written: what is decided against its state becomes its next events. */
export class PushStory {
  readonly events: RecordedFact[] = [];
  push: views.Push = noPush(conversationId);

  and(decide: (push: views.Push) => readonly Fact[]): this {
    for (const fact of decide(this.push)) {
      const revision = this.push.revision + 1;
      const actor = { kind: 'system', id: owner.instance } as const;
      const place = { stream: pushStream(conversationId), revision, eventId: '', causationId: '', correlationId: '' };
      const event: RecordedFact = { ...place, time: 1_767_225_600_000 + revision * 1_000, actor, fact };
      this.events.push(event);
      this.push = evolvePush(this.push, event);
    }
    return this;
  }
}

/** Every kind of event there is. */
export const told = (): PushStory =>
  new PushStory()
    .and((push) => configurePush(push, config('a')))
    .and((push) =>
      configurePush(push, config('b', { scheme: 'Bearer', sealed: new Uint8Array([1, 2, 3]), keyId: 'k' })),
    )
    .and((push) => claimPush(push, owner.instance, nobodyElse))
    .and((push) => attemptPush(push, owner, attempt('a', 4)))
    .and((push) => attemptPush(push, owner, attempt('b', 4, { delivered: false, reason: 'it answered with HTTP 500' })))
    .and((push) => attemptPush(push, owner, attempt('b', 4, { delivered: false, reason: 'gone', givenUp: true })))
    .and((push) => releasePush(push, owner, 7))
    .and((push) => configurePush(push, config('b', { afterRevision: 9 })))
    .and((push) => removePush(push, 'a'));
