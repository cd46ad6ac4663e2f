import type { ParseArgsConfig } from 'node:util';

/** Every option of every command: what `parseArgs` is told, and how the help calls its value. */
export const options = {
  action: { type: 'string', value: 'ACTION' },
  agent: { type: 'string', value: 'AGENT' },
  arguments: { type: 'string', value: 'JSON' },
  against: { type: 'string', value: 'FILE' },
  at: { type: 'string', value: 'REVISION' },
  by: { type: 'string', value: 'NAME' },
  call: { type: 'string', value: 'JSON' },
  config: { type: 'string', value: 'FILE' },
  content: { type: 'string', value: 'JSON' },
  'data-dir': { type: 'string', value: 'DIR' },
  demo: { type: 'boolean' },
  email: { type: 'string', value: 'ADDRESS' },
  file: { type: 'string', value: 'PATH' },
  format: { type: 'string', value: 'FORMAT' },
  full: { type: 'boolean' },
  'give-up': { type: 'boolean' },
  heads: { type: 'boolean' },
  in: { type: 'string', value: 'FOLDER' },
  input: { type: 'string', value: 'UUID' },
  json: { type: 'boolean' },
  limit: { type: 'string', value: 'NUMBER' },
  'max-agent-calls': { type: 'string', value: 'NUMBER' },
  'max-call-depth': { type: 'string', value: 'NUMBER' },
  'max-cost': { type: 'string', value: 'DOLLARS' },
  'max-tokens': { type: 'string', value: 'NUMBER' },
  'media-type': { type: 'string', value: 'TYPE' },
  name: { type: 'string', value: 'NAME' },
  nobody: { type: 'boolean' },
  open: { type: 'boolean' },
  pin: { type: 'string', value: 'PIN' },
  port: { type: 'string', value: 'PORT' },
  reason: { type: 'string', value: 'TEXT' },
  replicas: { type: 'string', value: 'NAME=COUNT,...' },
  result: { type: 'string', value: 'TEXT' },
  role: { type: 'string', value: 'ROLE' },
  run: { type: 'string', value: 'RUN' },
  same: { type: 'boolean' },
  search: { type: 'string', value: 'WORDS' },
  status: { type: 'string', value: 'STATUS' },
  store: { type: 'string', value: 'ADDRESS' },
  to: { type: 'string', value: 'NAME' },
  until: { type: 'string', value: 'TIME' },
  url: { type: 'string', value: 'URL' },
  watch: { type: 'boolean' },
  web: { type: 'boolean' },
} as const satisfies Record<string, NonNullable<ParseArgsConfig['options']>[string] & { readonly value?: string }>;

export type OptionName = keyof typeof options;

/** The options of an invocation, those that were given. */
export type Flags = {
  readonly [Name in OptionName]?: (typeof options)[Name]['type'] extends 'boolean' ? boolean : string;
};

/** How the help writes an option: `--at REVISION`. */
export function spelled(name: OptionName): string {
  const option = options[name];
  return 'value' in option ? `--${name} ${option.value}` : `--${name}`;
}
