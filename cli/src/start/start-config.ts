import { readFileSync } from 'node:fs';
import { type LoadedAgentConfig, loadAgentConfig } from '@stopgo/runtime';

/** Configuration that is read when none is named. */
export const defaultConfigPath = 'config/agent.yaml';

/** The same of the web app. */
export const defaultWebConfigPath = 'config/web.yaml';

/** The configuration that a start is told to use, with the port that it is told to use. @throws ConfigError */
export function startConfig(flags: {
  readonly config?: string | undefined;
  readonly port?: number;
}): LoadedAgentConfig {
  const loaded = loadAgentConfig(flags.config ?? defaultConfigPath, {
    readFile: (path) => readFileSync(path, 'utf8'),
  });
  return flags.port === undefined ? loaded : { ...loaded, config: { ...loaded.config, port: flags.port } };
}
