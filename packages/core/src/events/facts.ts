import type { MessageInitShape } from '@bufbuild/protobuf';
import { timestampFromMs, timestampMs } from '@bufbuild/protobuf/wkt';
import { create, envelope, facts, fromBinary, store, toBinary } from '@stopgo/proto';
import { DomainError } from '../text/errors.ts';

/** What happened: one case of the payload's union. */
export type Fact = Exclude<facts.Payload['fact'], { case: undefined }>;
/** The name of a kind of fact, for example `runStarted`. */
export type FactName = Fact['case'];
/** A fact of one kind. */
export type FactOf<N extends FactName> = Extract<Fact, { case: N }>['value'];

/** Facts of streams of definitions. */
export type DefinitionFact = 'agentDefined' | 'toolsetDefined' | 'toolDefined' | 'policyDefined';
/** Facts of what people accepted of tool servers. */
export type PinFact = 'toolServerMet' | 'toolsAccepted';
/** Facts of who is told of a conversation's task. */
export type PushFact = 'pushConfigured' | 'pushRemoved' | 'pushClaimed' | 'pushAttempted' | 'pushReleased';
/** Facts of who may use the platform. */
export type PersonFact =
  | 'userCreated'
  | 'userChanged'
  | 'userSignedIn'
  | 'apiKeyIssued'
  | 'apiKeyRevoked'
  | 'apiKeyUsed';
/** Facts of links with which people decide. */
export type LinkFact = 'linkMade';
/** Facts of where agents are taken from. */
export type RepositoryFact =
  | 'repositoryAdded'
  | 'repositoryChanged'
  | 'repositorySynced'
  | 'repositorySyncFailed'
  | 'repositoryRemoved'
  | 'repositoryListed'
  | 'repositoryUnlisted';
/** Facts of what agents remember. */
export type MemoryFact = 'memorySaved' | 'memoryRemoved';
/** Facts of accounts that users have at tool servers. */
export type AccountFact = 'accountConnected' | 'tokenRefreshBegun' | 'tokensRefreshed' | 'accountDisconnected';
/** Facts of everything else. */
export type NotOfRepositories = Exclude<FactName, RepositoryFact>;
/** Facts of everything but what agents remember. */
export type NotOfMemory = Exclude<FactName, MemoryFact>;
/** Facts of everything but people. */
export type NotOfPeople = Exclude<FactName, PersonFact>;

/**
 * Facts of streams that are none of a conversation. Whoever reads facts names those that it has nothing to do with (`fact.case
 * satisfies …`), so that a new one does not compile until each has said what it does with it.
 */
export type OtherStreamFact =
  | DefinitionFact
  | PinFact
  | PushFact
  | PersonFact
  | LinkFact
  | RepositoryFact
  | MemoryFact
  | AccountFact;

/** Facts of a conversation's own stream. */
export type ConversationFact = Exclude<FactName, OtherStreamFact>;

/** The schema version that this code writes, and the highest that it reads. */
export const schemaVersion = 1;

/** Who did something. */
export type Actor = {
  readonly kind: 'user' | 'approver' | 'agent' | 'system';
  readonly id: string;
  readonly claimed?: boolean;
  readonly surface?: string;
  readonly address?: string;
  /** Key of the principal: of somebody who is signed in. */
  readonly principal?: string;
};

/** A fact with its place in a stream. */
export type RecordedFact = {
  readonly stream: string;
  readonly revision: number;
  readonly eventId: string;
  /** Milliseconds since 1970. */
  readonly time: number;
  readonly actor: Actor;
  readonly causationId: string;
  readonly correlationId: string;
  readonly fact: Fact;
};

type FactInits = NonNullable<
  Extract<NonNullable<MessageInitShape<typeof facts.PayloadSchema>['fact']>, { value: unknown }>
>;

/** Makes a fact; fields that are left out have their default. */
export function fact<N extends FactName>(name: N, value: Extract<FactInits, { case: N }>['value']): Fact {
  const payload = create(facts.PayloadSchema, { fact: { case: name, value } as never });
  return payload.fact as Fact;
}

/** The stored bytes of a fact. */
export function encodeFact(one: Fact): Uint8Array {
  return toBinary(facts.PayloadSchema, create(facts.PayloadSchema, { fact: one as never }));
}

const kinds = { user: 1, approver: 2, agent: 3, system: 4 } as const;
const kindNames = ['system', 'user', 'approver', 'agent', 'system'] as const;

/** The wire form of an actor. */
export function actorToWire(actor: Actor): MessageInitShape<typeof envelope.ActorSchema> {
  return {
    kind: kinds[actor.kind],
    id: actor.id,
    claimed: actor.claimed ?? false,
    surface: actor.surface ?? '',
    address: actor.address ?? '',
    principal: actor.principal ?? '',
  };
}

/** An actor from its wire form; an absent one is the system. */
export function actorFromWire(actor: envelope.Actor | undefined): Actor {
  if (actor === undefined) return { kind: 'system', id: '' };
  return {
    kind: kindNames[actor.kind] ?? 'system',
    id: actor.id,
    ...(actor.claimed ? { claimed: true } : {}),
    ...(actor.surface === '' ? {} : { surface: actor.surface }),
    ...(actor.address === '' ? {} : { address: actor.address }),
    ...(actor.principal === '' ? {} : { principal: actor.principal }),
  };
}

/** What is common to the events of one append. */
export type EventFrame = {
  /** Milliseconds since 1970. */
  readonly now: number;
  readonly actor: Actor;
  readonly causationId: string;
  readonly correlationId: string;
};

/** The events to append for some facts. The ids are given, one for each fact. */
export function newEvents(all: readonly Fact[], frame: EventFrame, ids: readonly string[]): store.NewEvent[] {
  const { causationId, correlationId } = frame;
  const time = timestampFromMs(frame.now);
  const actor = create(envelope.ActorSchema, actorToWire(frame.actor));
  return all.map((one, index) => {
    const eventId = ids[index] ?? '';
    const payload = encodeFact(one);
    return create(store.NewEventSchema, {
      eventId,
      time,
      actor,
      causationId,
      correlationId,
      schemaVersion,
      payload,
    });
  });
}

/** Reads a recorded event. Throws `data_loss` for bytes that are no event, or of a version that is not known. */
export function decodeRecorded(recorded: { readonly envelope: Uint8Array }): RecordedFact {
  const outer = fromBinary(envelope.EnvelopeSchema, recorded.envelope);
  return decodeEvent(outer, outer.stream, outer.revision);
}

/** Reads an event that stands at a revision of a stream. Throws as `decodeRecorded`. */
export function decodeEvent(
  outer: Omit<store.NewEvent, '$typeName' | '$unknown' | 'payloadKeyId'>,
  stream: string,
  revision: number,
): RecordedFact {
  const where = `event ${revision} of ${stream}`;
  if (outer.schemaVersion > schemaVersion)
    throw new DomainError(
      'data_loss',
      `${where} has schema version ${outer.schemaVersion}; this program knows ${schemaVersion}`,
    );
  const payload = fromBinary(facts.PayloadSchema, outer.payload);
  if (payload.fact.case === undefined)
    throw new DomainError('data_loss', `${where} holds no fact that this program knows`);
  return {
    stream,
    revision,
    eventId: outer.eventId,
    time: outer.time === undefined ? 0 : timestampMs(outer.time),
    actor: actorFromWire(outer.actor),
    causationId: outer.causationId,
    correlationId: outer.correlationId,
    fact: payload.fact,
  };
}
