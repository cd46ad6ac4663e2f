import { timestampFromMs } from '@bufbuild/protobuf/wkt';
import { create, views } from '@stopgo/proto';
import type {
  AccountFact,
  ConversationFact,
  DefinitionFact,
  Fact,
  FactOf,
  LinkFact,
  MemoryFact,
  PersonFact,
  PinFact,
  RecordedFact,
  RepositoryFact,
} from '../events/facts.ts';

/** A conversation that nobody is told of. */
export const noPush = (conversationId: string): views.Push => create(views.PushSchema, { conversationId });

/** Who is told of a conversation after one more event of its push stream. Other facts than those of push change nothing. */
export function evolvePush(before: views.Push, event: RecordedFact): views.Push {
  const push = create(views.PushSchema, { ...before, revision: event.revision });
  const { fact } = event;
  switch (fact.case) {
    case 'pushConfigured':
      return configured(push, fact.value, event.time);
    case 'pushRemoved':
      push.configs = push.configs.filter(({ id }) => id !== fact.value.configId);
      return push;
    case 'pushClaimed':
      push.ownerInstance = fact.value.instance;
      push.epoch = fact.value.epoch;
      return push;
    case 'pushAttempted':
      push.configs = push.configs.map((config) =>
        config.id === fact.value.configId ? attempted(config, fact.value, event.time) : config,
      );
      return push;
    case 'pushReleased':
      push.ownerInstance = '';
      push.settledRevision = Math.max(push.settledRevision, fact.value.throughRevision);
      return push;
    default:
      fact.case satisfies
        | ConversationFact
        | DefinitionFact
        | PersonFact
        | PinFact
        | LinkFact
        | RepositoryFact
        | MemoryFact
        | AccountFact;
      return push;
  }
}

function configured(push: views.Push, made: FactOf<'pushConfigured'>, time: number): views.Push {
  const { url, protocolVersion, scheme, sealed, keyId, webhook } = made;
  const said = { id: made.configId, url, protocolVersion, scheme, sealed, keyId, webhook };
  const known = push.configs.find(({ id }) => id === said.id);
  // One that is on its way goes on from where it was; one that was given up begins anew.
  const config =
    known === undefined || known.givenUp
      ? create(views.PushConfigSchema, {
          ...said,
          createdAt: timestampFromMs(time),
          throughRevision: made.afterRevision,
          deliveries: known?.deliveries ?? 0,
        })
      : create(views.PushConfigSchema, { ...known, ...said });
  const isFirst = push.configs.every(({ givenUp }) => givenUp);
  const first = made.settledRevision ?? config.throughRevision;
  push.settledRevision = isFirst ? first : Math.min(push.settledRevision, config.throughRevision);
  push.configs =
    known === undefined ? [...push.configs, config] : push.configs.map((one) => (one === known ? config : one));
  return push;
}

function attempted(before: views.PushConfig, made: FactOf<'pushAttempted'>, time: number): views.PushConfig {
  const at = timestampFromMs(time);
  if (!made.delivered)
    return create(views.PushConfigSchema, {
      ...before,
      failures: made.attempt,
      failure: made.reason,
      failedAt: at,
      givenUp: made.givenUp,
      givenUpOver: made.givenUp && before.webhook !== '' ? made.eventRevision : 0,
    });
  const { failedAt: _, ...rest } = before;
  return create(views.PushConfigSchema, {
    ...rest,
    throughRevision: Math.max(before.throughRevision, made.eventRevision),
    taskState: made.taskState,
    deliveries: before.deliveries + 1,
    deliveredAt: at,
    failures: 0,
    failure: '',
  });
}

/** The configs that are told. */
export const liveConfigs = ({ configs }: views.Push): readonly views.PushConfig[] =>
  configs.filter(({ givenUp }) => !givenUp);

/** The webhooks that an event of a conversation names: they are told of it, and of what becomes of its approval. */
export function webhooksNamedBy(fact: Fact): readonly string[] {
  return fact.case === 'approvalRequested' || fact.case === 'approvalEscalated' ? fact.value.notify : [];
}
