/** Configuration that is read when none is named. */
export const defaultConfigPath = 'config/agent.yaml';
