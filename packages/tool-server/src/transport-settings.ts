import { StartupError } from './startup-error.ts';

const portMax = 65_535;

/** Which web pages and host names may reach a server over HTTP. */
export interface BrowserSettings {
  /** Origins of web pages, written `https://app.example.com`. */
  readonly allowedOrigins: readonly string[];
  /** Names in the `Host` header, with or without a port, beside IP addresses and localhost. */
  readonly allowedHosts: readonly string[];
}

/** Where to serve HTTP, and to whom. */
export interface HttpSettings extends BrowserSettings {
  readonly host: string;
  /** 0 takes a free one. */
  readonly port: number;
}

/** The flags of the command line that choose the transport. */
export interface TransportFlags {
  readonly http?: boolean | undefined;
  readonly stdio?: boolean | undefined;
  readonly host?: string | undefined;
  readonly port?: string | undefined;
  /** Added to the hosts that the file allows. */
  readonly 'allowed-host'?: readonly string[] | undefined;
}

/** What a settings file may say of the transport. */
export interface FileTransport {
  host?: string;
  port?: number;
  allowed_origins?: readonly string[];
  allowed_hosts?: readonly string[];
}

/** The keys of {@link FileTransport}, as an error lists them. */
export const transportKeys = ['host', 'port', 'allowed_origins', 'allowed_hosts'] as const;

type TransportKey = (typeof transportKeys)[number];

export function isTransportKey(key: string): key is TransportKey {
  return transportKeys.some((known) => known === key);
}

/** Puts a checked value of a settings file into `into`. @throws StartupError naming the key when the value makes no sense. */
export function checkTransportKey(into: FileTransport, key: TransportKey, value: unknown): void {
  switch (key) {
    case 'host':
      if (typeof value !== 'string' || value === '') throw new StartupError('config: host must be a non-empty string');
      into.host = value;
      return;
    case 'port':
      if (!isPort(value)) throw new StartupError(`config: port must be an integer from 0 to ${portMax}`);
      into.port = value;
      return;
    case 'allowed_origins':
      if (!isTexts(value) || !value.every(isOrigin)) {
        throw new StartupError('config: allowed_origins must be a list of origins such as https://app.example.com');
      }
      into.allowed_origins = value;
      return;
    case 'allowed_hosts':
      if (!isTexts(value)) throw new StartupError('config: allowed_hosts must be a list of host names');
      into.allowed_hosts = value;
      return;
  }
}

/**
 * HTTP, or undefined for standard input and output. HTTP is meant by `--http`, or by a host or port in the file; flags
 * win over the file. @throws StartupError for flags that contradict each other.
 */
export function readTransport(
  flags: TransportFlags,
  file: FileTransport,
  defaults: { readonly host: string; readonly port: number },
): HttpSettings | undefined {
  if (flags.http === true && flags.stdio === true) throw new StartupError('--http and --stdio exclude each other');
  const allowedHosts = flags['allowed-host'] ?? [];
  if (allowedHosts.includes('')) throw new StartupError('--allowed-host must not be empty');
  const named = file.host !== undefined || file.port !== undefined;
  const useHttp = flags.stdio !== true && (flags.http === true || named);
  if (!useHttp) {
    if (flags.host !== undefined || flags.port !== undefined || allowedHosts.length > 0) {
      throw new StartupError('--host, --port and --allowed-host belong to HTTP: add --http');
    }
    return undefined;
  }
  if (flags.host === '') throw new StartupError('--host must not be empty');
  return {
    host: flags.host ?? file.host ?? defaults.host,
    port: flags.port === undefined ? (file.port ?? defaults.port) : portOf(flags.port),
    allowedOrigins: file.allowed_origins ?? [],
    allowedHosts: [...(file.allowed_hosts ?? []), ...allowedHosts],
  };
}

function portOf(text: string): number {
  const port = /^\d+$/u.test(text) ? Number(text) : undefined;
  if (!isPort(port)) throw new StartupError(`--port must be an integer from 0 to ${portMax}`);
  return port;
}

function isPort(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= portMax;
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((each) => typeof each === 'string' && each !== '');
}

function isOrigin(text: string): boolean {
  return URL.canParse(text) && new URL(text).origin === text.toLowerCase();
}
