import { facts } from '@stopgo/proto';
import { z } from 'zod';
import { approval } from './approval.ts';
import { anyObject, count, time, uuid } from './scalars.ts';

/** Who did something. */
export const actor = z
  .object({
    kind: z.enum(['user', 'approver', 'agent', 'system']),
    id: z.string(),
    claimed: z.literal(true).optional(),
    surface: z.string().optional(),
    address: z.string().optional(),
    principal: z.string().optional(),
  })
  .meta({ id: 'Actor' });

const factNames = facts.PayloadSchema.fields.map(({ name }) => name);

/** A durable event of a conversation, as its event stream sends it. Its id is the revision. */
export const conversationEvent = z
  .object({
    revision: z.int().min(1),
    event_id: z.string(),
    time: time().nullable(),
    actor,
    type: z
      .enum([...factNames, 'unknown'])
      .describe('Name of the fact, and of the event; unknown: a newer release wrote it'),
    payload: anyObject().nullable().describe('The fact, as facts.proto describes it'),
  })
  .meta({ id: 'ConversationEvent' });

/** A piece of a model's answer while it comes. It has no id, and may be lost. */
export const deltaEvent = z
  .object({
    run_id: uuid(),
    step_id: z.string(),
    turn: count(),
    attempt: count(),
    offset: count().describe('Where the text goes in the answer'),
    text: z.string(),
  })
  .meta({ id: 'DeltaEvent' });

/** What happened to an approval. The id of the event is a place in the log. */
export const approvalEvent = z
  .object({
    change: z.enum(['asked', 'voted', 'edited', 'assigned', 'reminded', 'escalated', 'settled']),
    time: time().nullable(),
    actor,
    approval,
  })
  .meta({ id: 'ApprovalEvent' });
