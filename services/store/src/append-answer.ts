import type { store } from '@stopgo/proto';
import type { ServiceImpl } from '@stopgo/rpc';
import type { AppendOutcome, KnownKey } from './event-log.ts';

type Answered = Awaited<ReturnType<ServiceImpl<typeof store.StoreService>['append']>>;
type View = { readonly view?: NonNullable<store.Appended['view']> };

/** What became of an append, over gRPC; `watchers`: how many follow its stream here. */
export function answerTo(outcome: AppendOutcome, view: View, watchers: number): Answered {
  switch (outcome.kind) {
    case 'appended': {
      const { revision, position } = outcome;
      return {
        outcome: { case: 'appended' as const, value: { revision, position: BigInt(position), watchers, ...view } },
      };
    }
    case 'duplicate': {
      const { revision, position, requestDigest } = outcome;
      const value = { revision, position: BigInt(position), requestDigest, watchers, ...view };
      return { outcome: { case: 'duplicate' as const, value } };
    }
    case 'conflict': {
      const value = { currentRevision: outcome.revision, unseen: [...outcome.unseen] };
      return { outcome: { case: 'conflict' as const, value } };
    }
  }
}

/** An idempotency key that is on the record, over gRPC. */
export function keyAnswer({ key, requestDigest, firstRevision, lastRevision }: KnownKey) {
  return { idempotencyKey: key, requestDigest, firstRevision, lastRevision };
}
