import { readFileSync } from 'node:fs';
import { suggest, visibleLine } from '@stopgo/core';
import { parse } from 'yaml';

/** What the web server is started with. */
export type WebConfig = {
  /** The platform's gateway: an http or https URL without a trailing slash. */
  readonly agentUrl: string;
  readonly host: string;
  readonly port: number;
  /** Host names that are answered besides IP addresses and localhost. */
  readonly allowedHosts: readonly string[];
};

export const webDefaults = { host: '0.0.0.0', port: 3000 } as const;

const keys = ['agent_url', 'host', 'port', 'allowed_hosts'];

/** Reads a configuration. @throws Error in one line that begins with what failed. */
export function loadWebConfig(path: string, read = (file: string) => readFileSync(file, 'utf8')): WebConfig {
  let text: string;
  try {
    text = read(path);
  } catch (error) {
    throw new Error(`failed to read config file: ${messageOf(error)}`);
  }
  return parseWebConfig(text, path);
}

/** The configuration that a text of YAML holds. @throws Error in one line. */
export function parseWebConfig(text: string, path: string): WebConfig {
  const values = mappingIn(text, path);
  const unknown = Object.keys(values).find((key) => !keys.includes(key));
  if (unknown !== undefined) {
    const meant = suggest(unknown, keys);
    const guess = meant === undefined ? `the keys are ${keys.join(', ')}` : `did you mean "${meant}"?`;
    throw new Error(`${path}: unknown key "${visibleLine(unknown)}"; ${guess}`);
  }
  const { agent_url: agentUrl, host = webDefaults.host, port = webDefaults.port, allowed_hosts: hosts = [] } = values;
  if (agentUrl === undefined || agentUrl === null || agentUrl === '')
    throw new Error(`${path}: agent_url is required in web config`);
  if (typeof host !== 'string' || host === '') throw new Error(`${path}: host must be an address or a name`);
  if (typeof port !== 'number' || !Number.isInteger(port) || port < 0 || port > 65_535)
    throw new Error(`${path}: port must be a whole number from 0 to 65535`);
  if (!Array.isArray(hosts) || !hosts.every((one) => typeof one === 'string'))
    throw new Error(`${path}: allowed_hosts must be a list of names`);
  return { agentUrl: checkedUrl(agentUrl, path), host, port, allowedHosts: hosts };
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

function checkedUrl(value: unknown, path: string): string {
  const url = typeof value === 'string' && URL.canParse(value) ? new URL(value) : undefined;
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:')
    throw new Error(`${path}: agent_url must be the URL of a platform, such as http://127.0.0.1:8080`);
  if (url.username !== '' || url.password !== '')
    throw new Error(`${path}: agent_url must hold no user name and no password`);
  if (url.search !== '' || url.hash !== '') throw new Error(`${path}: agent_url must end with the path`);
  return url.href.replace(/\/+$/, '');
}

const messageOf = (error: unknown): string =>
  visibleLine((error instanceof Error ? error.message : String(error)).split('\n')[0] ?? '');
