import { readFileSync } from 'node:fs';
import { suggest, visibleLine } from '@stopgo/core';
import { parse } from 'yaml';
import { type LoginConfig, parseLogin } from './login/config.ts';

/** What the web server is started with. */
export type WebConfig = {
  /** The platform's gateway: an http or https URL without a trailing slash. */
  readonly agentUrl: string;
  readonly host: string;
  readonly port: number;
  /** Host names that are answered besides IP addresses and localhost. */
  readonly allowedHosts: readonly string[];
  /** How people sign in with an OpenID provider; undefined: they do not. */
  readonly login?: LoginConfig | undefined;
};

export const webDefaults = { host: '0.0.0.0', port: 3000 } as const;

const keys = ['agent_url', 'host', 'port', 'allowed_hosts', 'login'];

/** Reads a configuration. @throws Error with a line for each of its problems. */
export function loadWebConfig(path: string, read = (file: string) => readFileSync(file, 'utf8')): WebConfig {
  let text: string;
  try {
    text = read(path);
  } catch (error) {
    throw new Error(`failed to read config file: ${messageOf(error)}`);
  }
  return parseWebConfig(text, path);
}

/** The configuration that a text of YAML holds. @throws Error with a line for each problem, which begins with the path. */
export function parseWebConfig(text: string, path: string): WebConfig {
  const values = mappingIn(text, path);
  const problems: string[] = [];
  const say = (problem: string) => void problems.push(`${path}: ${problem}`);
  for (const key of Object.keys(values)) if (!keys.includes(key)) say(unknownKey(key));
  const { host = webDefaults.host, port = webDefaults.port, allowed_hosts: hosts = [], login } = values;
  const config = {
    agentUrl: checkedUrl(values.agent_url, say),
    host: typeof host === 'string' && host !== '' ? host : undefined,
    port: isPort(port) ? port : undefined,
    allowedHosts: Array.isArray(hosts) && hosts.every((one) => typeof one === 'string') ? hosts : undefined,
    ...(login === undefined ? {} : { login: parseLogin(login, say) }),
  };
  if (config.host === undefined) say('host must be an address or a name');
  if (config.port === undefined) say('port must be a whole number from 0 to 65535');
  if (config.allowedHosts === undefined) say('allowed_hosts must be a list of names');
  if (problems.length > 0) throw new Error(problems.join('\n'));
  return config as WebConfig;
}

const isPort = (value: unknown): boolean =>
  typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= 65_535;

function unknownKey(key: string): string {
  const meant = suggest(key, keys);
  const guess = meant === undefined ? `the keys are ${keys.join(', ')}` : `did you mean "${meant}"?`;
  return `unknown key "${visibleLine(key)}"; ${guess}`;
}

function mappingIn(text: string, path: string): Readonly<Record<string, unknown>> {
  let value: unknown;
  try {
    value = parse(text) ?? {};
  } catch (error) {
    throw new Error(`failed to parse config file: ${path}: ${messageOf(error)}`);
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new Error(`failed to parse config file: ${path}: it must hold keys and values, such as "agent_url: …"`);
  return value as Readonly<Record<string, unknown>>;
}

function checkedUrl(value: unknown, say: (problem: string) => void): string | undefined {
  if (value === undefined || value === null || value === '') {
    say('agent_url is required in web config');
    return undefined;
  }
  const url = typeof value === 'string' && URL.canParse(value) ? new URL(value) : undefined;
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:')
    say('agent_url must be the URL of a platform, such as http://127.0.0.1:8080');
  else if (url.username !== '' || url.password !== '') say('agent_url must hold no user name and no password');
  else if (url.search !== '' || url.hash !== '') say('agent_url must end with the path');
  return url?.href.replace(/\/+$/, '');
}

const messageOf = (error: unknown): string =>
  visibleLine((error instanceof Error ? error.message : String(error)).split('\n')[0] ?? '');
