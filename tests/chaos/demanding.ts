// Rules that demand people and time, of the calls of two stories.
import { automaticPrefix } from '../promises/recorded-calls.ts';

/** A webhook: its name, and its address. */
export type Receiver = { readonly name: string; readonly url: string };

/** Names the secret of the webhook, and what it is. */
export const deskSecret = 'STOPGO_CHAOS_DESK_SECRET';
export const deskSecretValue = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;

/** How the texts of the calls begin that two people decide, and of those that nobody decides. */
export const pairPrefix = 'pair';
export const inVainPrefix = 'in-vain';

/** Those who decide together; whom it is escalated to may as well. */
export const deciders = ['ann@chaos.example', 'bob@chaos.example', 'cleo@chaos.example'] as const;
const other = 'dan@chaos.example';

const begins = (prefix: string): string => `has(args.text) && args.text.startsWith("${prefix}")`;

/** A part of the configuration; `of`: how the names of its rules begin, so that each tells which file it is in. */
export const rulesOf = ({ name, url }: Receiver, of = '') => ({
  webhooks: [{ name, url, secret_env: deskSecret, allow_private: true }],
  approvals: {
    rules: [
      {
        ...{ name: `${of}pair`, server: 'ledger', when: begins(pairPrefix), verdict: 'ask', reason: 'Two decide.' },
        approvers: `2 of [${deciders.join(', ')}]`,
        remind: ['1s', '3s'],
        escalate: [{ after: '2s', to: [other] }],
        notify: [name],
      },
      {
        ...{
          name: `${of}in-vain`,
          server: 'ledger',
          when: begins(inVainPrefix),
          verdict: 'ask',
          reason: 'Nobody decides.',
        },
        approvers: [other],
        expires: Object.fromEntries([
          ['after', '3s'],
          ['then', 'reject'],
        ]),
        remind: ['1s', '2s'],
        notify: [name],
      },
      // What waits without it as well: so the calls of trees name a rule.
      {
        ...{ name: `${of}adds`, server: 'resources', tool: '*add*', verdict: 'ask' },
        when: `!call.node.startsWith("${automaticPrefix}")`,
      },
    ],
  },
});
