import {
  choice,
  filledText,
  globs,
  inYamlWords,
  list,
  mapping,
  nameText,
  text,
  wholeNumber,
} from '@stopgo/runtime/yaml';
import { z } from 'zod';
import {
  agentCallsMax,
  descriptionCharactersMax,
  dollarsMax,
  entriesMax,
  exampleCharactersMax,
  executionMinutesMax,
  providersMax,
  tokensMax,
  turnsMax,
  versionCharactersMax,
} from './bounds.ts';

/*
 * The keys of our own format, their types and bounds. Each may also be written with underscores, as in agent.yaml: `max_cost` is `maxCost`.
 */

const short = (charactersMax: number) =>
  filledText().refine((value) => value.length <= charactersMax, `must not be longer than ${charactersMax} characters`);

const few = <Item extends z.ZodType>(item: Item) =>
  list(item).refine((entries) => entries.length <= entriesMax, `must not have more than ${entriesMax} entries`);

const dollars = z
  .number({ error: ({ input }) => `expected an amount of US dollars, such as 0.50, found ${inYamlWords(input)}` })
  .refine((value) => value > 0 && value <= dollarsMax, `must be more than 0 and at most ${dollarsMax} US dollars`);

/** Names of models by names of providers. */
const models = z.record(nameText(), short(256), {
  error: ({ input }) => `expected names of providers with a model each, found ${inYamlWords(input)}`,
});

const context = mapping({ state: few(nameText()).default([]), memories: few(nameText()).default([]) }).strip();

const rulesElsewhere = 'rules are a part of the platform\'s configuration; here it is "default" or "require"';

export const ownKeys = mapping({
  name: nameText().optional(),
  description: short(descriptionCharactersMax),
  version: short(versionCharactersMax).optional(),
  tags: few(nameText()).default([]),
  model: short(256).optional(),
  models: models.optional(),
  providers: list(nameText())
    .refine((all) => all.length <= providersMax, `must not have more than ${providersMax} entries`)
    .default([]),
  mcpServers: few(nameText()).default([]),
  tools: globs().optional(),
  allowedAgents: few(short(256)).default([]),
  examples: few(short(exampleCharactersMax)).default([]),
  contextScope: choice(['FULL', 'NONE', 'SPECIFIC']).default('FULL'),
  context: context.optional(),
  maxExecutionMinutes: wholeNumber(1, executionMinutesMax).optional(),
  completion: choice(['required', 'optional']).default('required'),
  approvals: z
    .unknown()
    .refine((value) => typeof value !== 'object' || value === null, rulesElsewhere)
    .pipe(choice(['default', 'require']))
    .optional(),
  onReject: choice(['cancel', 'continue']).optional(),
  outputKey: text().pipe(nameText()).optional(),
  maxTurns: wholeNumber(1, turnsMax).optional(),
  maxCost: dollars.optional(),
  maxTokens: wholeNumber(1, tokensMax).optional(),
  maxAgentCalls: wholeNumber(1, agentCallsMax).optional(),
  onLimit: choice(['ask', 'end']).optional(),
  agent: z.unknown().optional(),
}).strip();

export type OwnKeys = z.output<typeof ownKeys>;
