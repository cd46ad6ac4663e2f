import type { AgentConfig } from '@stopgo/runtime';

/** The environment variables that hold the keys of the providers that the configuration names. */
export function providerVariables({ providers = {} }: Pick<AgentConfig, 'providers'>): readonly string[] {
  return Object.values(providers).flatMap(({ keyVariable }) => (keyVariable === undefined ? [] : [keyVariable]));
}
