import { limitMost } from '@stopgo/core/limits';
import { unknownMember } from '@stopgo/http';
import { z } from 'zod';
import { malformedText } from './request.ts';

/** Nano-dollars, which costs are counted in, in one US dollar, which people are told of. */
export const nanoPerUsd = 1_000_000_000;

const dollarsMost = limitMost.cost / nanoPerUsd;
const dollars = malformedText(
  `"limits.max_cost" must be an amount of US dollars, such as 2.50, more than 0 and at most ${dollarsMost}`,
);

const members = ['max_tokens', 'max_cost', 'max_agent_calls'];
const notLimits = '"limits" must be a JSON object, such as {"max_tokens": 50000}';

const whole = (name: string, most: number) => {
  const error = malformedText(`"limits.${name}" must be a whole number from 1 to ${most}`);
  return z.int({ error }).min(1, { error }).max(most, { error }).nullish();
};

/** How much an agent may use in all. What is absent stays. */
export const newLimits = z
  .strictObject(
    {
      max_tokens: whole('max_tokens', limitMost.tokens).describe('Tokens of its models'),
      max_cost: z
        .number({ error: dollars })
        .min(1 / nanoPerUsd, { error: dollars })
        .max(dollarsMost, { error: dollars })
        .nullish()
        .describe('US dollars that its models cost'),
      max_agent_calls: whole('max_agent_calls', limitMost.agent_calls).describe(
        'Calls of agents; at most what agent_execution.max_agent_calls says',
      ),
    },
    {
      error: ({ code, input }) => {
        if (code !== 'unrecognized_keys') return malformedText(notLimits);
        const unknown = unknownMember(Object.keys(input as object), members, 'limits');
        return malformedText(unknown ?? notLimits);
      },
    },
  )
  .refine((limits) => Object.values(limits).some((most) => most !== undefined && most !== null), {
    error: malformedText('"limits" must name a limit; leave it out to let the agent use as much again'),
  })
  .nullish()
  .describe(
    'At a limit of an agent: how much it may use in all of its work, from the beginning, with all that it calls. What is not named stays as it is. Without it, as much again of everything.',
  );
