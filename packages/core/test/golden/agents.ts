import { type BlobRef, cancelStep, pauseRun, provideInput, type RunCommand, resumeRun } from '@stopgo/core';
import { dataRequestOf, valuesNeeded } from '@stopgo/core/shared-data';
import { answered, asked, callsAgent, completes, drives, drove, platformAgent, works } from '../agents.ts';
import { by, dawn, type Happening } from '../specification.ts';
import { approved, call, claim, happened, opened, returns, starts } from '../story.ts';

const hasty = platformAgent('support/hasty', { executionMinutesMax: 15 });
const thrifty = platformAgent('support/thrifty', { limits: { onLimit: 'ask', tokensMax: 10 } });
const child = 'root#1.0/root';
const user = (happening: Exclude<Happening, { readonly by: unknown }>) => by('anonymous', happening);

const contract = { digest: 'ab'.repeat(32), mediaType: 'application/pdf', name: 'contract.pdf', size: 1234 };

/** Somebody answers what a call asks. */
const answersPeople = (callId: string, contentJson: string, file?: BlobRef) =>
  happened((state) => {
    const input = Object.values(state.run?.interrupts ?? {}).find((one) => one.callId === callId);
    return provideInput(state, { inputId: input?.id ?? '', action: 'accept', contentJson, file, now: dawn });
  });

const sharer = (name: string) => platformAgent(name, {}, { tools: ['run_data_*'] });
const sharing = { more: [sharer('support/tier1'), sharer('support/billing')] };
const shares = (name: string, args: object) => call(`run_data_${name}`, args);

/** A call uses what the agents share; what is read holds this. */
const usesData = (callId: string, name: string, args: object, valueJson = '') =>
  happened((state) => {
    const request = dataRequestOf(`run_data_${name}`, JSON.stringify(args));
    const values = new Map(valuesNeeded(state.run?.data ?? [], request).map((one) => [one.writtenAt, valueJson]));
    const use: RunCommand = { type: 'useData', callId, attempt: 1, request, values, durationMs: 0 };
    return drives([use], sharing)(state);
  });

/** Agents that call agents. */
export const agentScenarios: Readonly<Record<string, readonly Happening[]>> = {
  'agent-called': [
    user(opened),
    user(asked('I want a refund.')),
    answered({ text: 'I ask billing.', calls: [callsAgent('support/billing', 'Refund it.')] }),
    drove([works('root#1.0', 'support/billing')]),
    answered({ step: child, calls: [call('add', { name: 'refund' })] }),
    by('ada', approved()),
    drove([claim, starts(`${child}#1.0`)]),
    drove([returns(`${child}#1.0`, 'refunded')]),
    answered({ step: child, calls: [completes('Refunded.', 'SUCCESS', { confidence: 1, metadata: { id: 'REF-1' } })] }),
    answered({ text: 'It is refunded.' }),
    answered({ calls: [completes('Your order is refunded.', 'SUCCESS', { confidence: 0.95 })] }),
  ],
  'agent-timed-out': [
    user(opened),
    user(asked('I want a refund.')),
    answered({ calls: [callsAgent('support/hasty'), callsAgent('support/billing')] }),
    drove([works('root#1.0', 'support/hasty'), works('root#1.1', 'support/billing')], { more: [hasty] }),
    answered({ step: child, calls: [call('add', { name: 'refund' })] }, { more: [hasty] }),
    drove([], { more: [hasty], now: dawn + 1_800_000 }),
    answered({ step: 'root#1.1/root', calls: [completes('Refunded.')] }),
    answered({ calls: [completes('Your order is refunded.')] }),
  ],
  // An agent remembers something for later runs, and is asked for what it does not remember.
  'agent-remembers': [
    user(opened),
    user(asked('Call me Ada.')),
    answered({
      calls: [
        call('save_memory', { key: 'name', value: 'Ada', expiresAt: null }),
        call('load_memory', { key: 'city' }),
      ],
    }),
    drove([returns('root#1.0', 'Saved.'), returns('root#1.1', 'There is no memory city; there is name.', 1, true)]),
    answered({ calls: [completes('Hello Ada.')] }),
  ],
  // An agent asks people twice: one answers, and nobody does in time.
  'agent-asks': [
    user(opened),
    user(asked('Cancel my order.')),
    answered({
      calls: [
        call('request_user_input', { prompt: 'Approve?', inputType: 'choice', choices: ['Full refund', 'Credit'] }),
        call('request_user_input', { prompt: 'Why?', required: false, timeoutMinutes: 5 }),
      ],
    }),
    by('ada', answersPeople('root#1.0', '{"answer":"Full refund"}')),
    drove([claim], { now: dawn + 300_000 }),
    answered({ calls: [completes('Refunded.')] }),
  ],
  // An agent shares two values; the one that it calls reads one, writes it anew, and takes the other away.
  'agent-shares': [
    user(opened),
    user(asked('I want a refund.', { agent: sharer('support/tier1') })),
    answered(
      { calls: [shares('write', { key: 'order', value: 4711 }), shares('write', { key: 'name', value: 'Ada' })] },
      sharing,
    ),
    usesData('root#1.0', 'write', { key: 'order', value: 4711 }),
    usesData('root#1.1', 'write', { key: 'name', value: 'Ada' }),
    answered({ calls: [callsAgent('support/billing')] }, sharing),
    drove(
      [{ ...works('root#2.0', 'support/billing', 'SPECIFIC'), stateTold: 'order:\n> 4711' } as RunCommand],
      sharing,
    ),
    answered(
      {
        step: 'root#2.0/root',
        calls: [
          shares('read', { key: 'order' }),
          shares('write', { key: 'order', value: { id: 4711, paid: true } }),
          shares('delete', { key: 'name' }),
        ],
      },
      sharing,
    ),
    usesData('root#2.0/root#1.0', 'read', { key: 'order' }, '4711'),
    usesData('root#2.0/root#1.1', 'write', { key: 'order', value: { id: 4711, paid: true } }),
    usesData('root#2.0/root#1.2', 'delete', { key: 'name' }),
    answered({ step: 'root#2.0/root', calls: [completes('Refunded.')] }, sharing),
    answered({ calls: [completes('Your order is refunded.')] }, sharing),
  ],
  // An agent asks for a file, and is given one.
  'agent-given-file': [
    user(opened),
    user(asked('Look at my contract.')),
    answered({ calls: [call('request_user_input', { prompt: 'Which one?', inputType: 'file' })] }),
    by('ada', answersPeople('root#1.0', '', contract)),
    drove([claim]),
    answered({ calls: [completes('It is fine.')] }),
  ],
  'agent-given-more': [
    user(opened),
    user(asked('I want a refund.', { agent: thrifty })),
    answered({ calls: [call('look')], usage: { inputTokens: 11, outputTokens: 1 } }, { more: [thrifty] }),
    by(
      'ada',
      happened((state) => resumeRun(state, { by: 'ada', limits: [{ kind: 'tokens', most: 20 }] })),
    ),
    drove([claim], { more: [thrifty] }),
    answered({ calls: [call('look')], usage: { inputTokens: 7, outputTokens: 1 } }, { more: [thrifty] }),
    by(
      'ada',
      happened((state) => resumeRun(state, { by: 'ada' })),
    ),
    drove([claim], { more: [thrifty] }),
    answered({ calls: [completes('It was refunded.')] }, { more: [thrifty] }),
  ],
  'agent-paused': [
    user(opened),
    user(asked('I want a refund.', { agent: hasty })),
    answered({ calls: [callsAgent('support/billing')] }, { more: [hasty] }),
    drove([works('root#1.0', 'support/billing')], { more: [hasty] }),
    by(
      'ada',
      happened((state) => pauseRun(state, { by: 'ada', reason: 'Wait.' })),
    ),
    answered({ step: child, calls: [call('note')] }, { more: [hasty] }),
    by(
      'ada',
      happened((state) => resumeRun(state, { by: 'ada' })),
    ),
    drove([claim, starts(`${child}#1.0`)], { more: [hasty] }),
    drove([returns(`${child}#1.0`, 'noted')], { more: [hasty] }),
    by(
      'ada',
      happened((state) => cancelStep(state, { stepId: child, by: 'ada', reason: 'enough' })),
    ),
    answered({ calls: [completes('It was noted.')] }, { more: [hasty] }),
  ],
  'agent-failed': [
    user(opened),
    user(asked('I want a refund.')),
    answered({ calls: [callsAgent('support/billing'), callsAgent('audit')] }),
    drove([works('root#1.0', 'support/billing', 'NONE')]),
    answered({ step: child, text: 'Hm.' }),
    answered({ step: child, text: 'Hm?' }),
    answered({ step: child, text: 'Hm!' }),
    answered({ calls: [completes('Billing does not answer.', 'FAILED')] }),
  ],
};
