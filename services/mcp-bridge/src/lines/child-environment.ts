/** What a tool server inherits of our environment. Everything else, API keys above all, is given by configuration only. */
const inherited = ['HOME', 'PATH', 'USER', 'LANG', 'TERM'] as const;

/** A variable by name; undefined where it is not set. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** The environment of a tool server: a few harmless variables of ours, and what its configuration says. */
export function childEnvironment(ours: Environment, configured: Readonly<Record<string, string>>): NodeJS.ProcessEnv {
  const env: NodeJS.ProcessEnv = {};
  for (const name of inherited) {
    const value = ours[name];
    if (value !== undefined) env[name] = value;
  }
  return { ...env, ...configured };
}
