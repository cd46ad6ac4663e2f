import { durationPattern, webhookNamePattern } from '@stopgo/core';

type Schema = { readonly [key: string]: unknown };

const name = { type: 'string', minLength: 1 };
const duration = { anyOf: [{ type: 'string', pattern: durationPattern }, { type: 'number' }] };
const approvers = { type: 'array', items: name, minItems: 1 };
const flag = { type: 'boolean' };

/** A mapping of these keys, each with what it is and what is told of it. */
function mapping(keys: readonly (readonly [string, Schema, string])[], required: readonly string[] = []): Schema {
  const properties = Object.fromEntries(keys.map(([key, schema, description]) => [key, { ...schema, description }]));
  return { type: 'object', properties, required, additionalProperties: false };
}

const annotations = mapping([
  ['read_only', flag, 'the tool only reads'],
  ['destructive', flag, 'the tool destroys'],
  ['idempotent', flag, 'a second call with the same arguments changes nothing more'],
  ['open_world', flag, 'the tool reaches beyond its own world'],
]);
const expiry = mapping(
  [
    ['after', duration, 'how long after the request'],
    ['then', { enum: ['reject', 'leave'] }, 'reject (also without it): it is over; leave: it stays open, as overdue'],
  ],
  ['after'],
);
const notify = { type: 'array', items: { type: 'string', pattern: webhookNamePattern.source } };
const escalation = mapping(
  [
    ['after', duration, 'how long after the request'],
    ['to', approvers, 'who may decide as well from then on'],
    ['notify', notify, 'names of webhooks that are told from then on as well'],
  ],
  ['after', 'to'],
);

const rule = mapping(
  [
    ['name', name, 'unique; shown to people'],
    ['server', name, 'pattern of the tool server'],
    ['tool', name, 'pattern of the tool; a delegation is a2a_<agent>'],
    ['agent', name, 'pattern of the agent that makes the call'],
    ['node', name, 'pattern of the node that makes the call'],
    ['annotations', annotations, 'hints as they hold for the tool'],
    ['when', name, 'a predicate in CEL over args, call, caller and run'],
    ['verdict', { enum: ['allow', 'ask', 'deny'] }, 'what becomes of the call'],
    ['reason', name, 'told to people; of what is denied, to the model too'],
    [
      'approvers',
      { anyOf: [name, approvers] },
      'who decides: a list, or 2 of [group:finance, role:ADMIN, alice@example.com]',
    ],
    ['separation_of_duties', flag, 'whoever sent the message cannot decide'],
    ['expires', expiry, 'when it has waited long enough'],
    ['remind', { type: 'array', items: duration }, 'when those who may decide are reminded'],
    ['escalate', { type: 'array', items: escalation }, 'from when others may decide as well'],
    ['notify', notify, 'names of webhooks that are told of its approvals'],
  ],
  ['name', 'verdict'],
);

/** What editors are told of `approvals`; the core checks it whole. */
export const approvalsJsonSchema = mapping([
  ['rules', { type: 'array', items: rule }, 'the first that matches a call decides it'],
  [
    'notify',
    notify,
    'names of webhooks that are told of approvals whose rule has no notify of its own, or that no rule asks for',
  ],
]);
