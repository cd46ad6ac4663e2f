import { idempotencyExtension } from '@stopgo/a2a-agent/idempotency';
import { cutText, firstHidden, visibleLine, visibleText } from '@stopgo/core';
import { isObject } from '../models/json.ts';
import { aboutBytesMax, interfacesMax, skillsToldMax } from './bounds.ts';

/** Ways of talking to agents that we know: two versions of the protocol, and what came before. */
export type Dialect = '1.0' | '0.3' | 'legacy';

/** One way of talking to an agent, as its card names it. */
export type AgentInterface = {
  /** Of gRPC only the port counts; its scheme says whether it is encrypted. */
  readonly url: string;
  readonly binding: 'JSONRPC' | 'HTTP+JSON' | 'GRPC';
  readonly dialect: Dialect;
  readonly tenant: string;
};

/** What of an agent's card matters to whoever delegates to it. */
export type Card = {
  readonly interfaces: readonly AgentInterface[];
  readonly streams: boolean;
  /** It posts to addresses that it is given for a task. */
  readonly notifies: boolean;
  /** It promises to take a message of one id once. */
  readonly isIdempotent: boolean;
  /** What it says that it is good for, on one line and bounded; may be empty. It is told to models. */
  readonly about: string;
};

/** Reads a card of any version; undefined if it is none. What is unknown in it is left out. */
export function readCard(card: unknown): Card | undefined {
  if (!isObject(card)) return undefined;
  const capabilities = isObject(card.capabilities) ? card.capabilities : {};
  const interfaces = interfacesOf(card);
  if (interfaces.length === 0 && typeof card.name !== 'string') return undefined;
  return {
    interfaces,
    streams: capabilities.streaming === true,
    notifies: capabilities.pushNotifications === true,
    isIdempotent: objects(capabilities.extensions).some(({ uri }) => uri === idempotencyExtension),
    about: aboutOf(card),
  };
}

/** What is wrong with the name of an agent in its card, as a sentence; undefined if it may be shown. */
export function cardNameProblem(card: unknown): string | undefined {
  const name = isObject(card) ? card.name : undefined;
  if (typeof name !== 'string') return undefined;
  const isHidden = firstHidden(name) !== undefined || /[\n\t]/.test(name);
  return isHidden
    ? `names the agent with characters that are not seen: "${visibleLine(name.slice(0, nameShownMax))}"`
    : undefined;
}

/** Characters of such a name that are told. */
const nameShownMax = 80;

function aboutOf({ description, skills }: Record<string, unknown>): string {
  const named = objects(skills)
    .slice(0, skillsToldMax)
    .map(({ name, description: does }) => [oneLine(name), oneLine(does)].filter((text) => text !== '').join(': '))
    .filter((text) => text !== '');
  const all = [oneLine(description), named.length === 0 ? '' : `Skills: ${named.join('; ')}`];
  return cutText(all.filter((text) => text !== '').join(' '), aboutBytesMax).text;
}

/** Words of others, in which nothing is hidden and nothing looks like words of ours. */
const oneLine = (text: unknown): string =>
  typeof text === 'string' ? visibleText(text.slice(0, aboutBytesMax).replaceAll(/\s+/g, ' ').trim()) : '';

function interfacesOf(card: Record<string, unknown>): AgentInterface[] {
  const declared = objects(card.supportedInterfaces).flatMap((one) =>
    interfaceOf(one.url, one.protocolBinding, dialectOf(one.protocolVersion), one.tenant),
  );
  if (declared.length > 0) return declared;
  // Cards of before 0.3 have one address and no words for versions and transports.
  const isLegacy = !('protocolVersion' in card || 'capabilities' in card || 'preferredTransport' in card);
  const dialect = isLegacy ? 'legacy' : '0.3';
  return [
    ...interfaceOf(card.url, card.preferredTransport ?? 'JSONRPC', dialect, ''),
    ...objects(card.additionalInterfaces).flatMap(({ url, transport }) => interfaceOf(url, transport, dialect, '')),
  ];
}

function interfaceOf(
  named: unknown,
  binding: unknown,
  dialect: Dialect | undefined,
  tenant: unknown,
): AgentInterface[] {
  const name = typeof binding === 'string' ? binding.toUpperCase() : '';
  if (typeof named !== 'string' || dialect === undefined) return [];
  if (name !== 'JSONRPC' && name !== 'HTTP+JSON' && name !== 'GRPC') return [];
  const url = name === 'GRPC' ? grpcUrl(named) : named;
  if (!URL.canParse(url) || !/^https?:/i.test(url)) return [];
  return [{ url, binding: name, dialect, tenant: typeof tenant === 'string' ? tenant : '' }];
}

/** Cards name where gRPC is spoken as an address, or as a URL of one of these schemes; empty for anything else. */
function grpcUrl(named: string): string {
  const [, scheme = '', address = ''] = /^(?:(https?|grpcs?):\/\/)?([^/\s]+)(?:\/\S*)?$/i.exec(named) ?? [];
  if (address === '' || address.endsWith(':')) return '';
  return `${/s$/i.test(scheme) ? 'https' : 'http'}://${address}`;
}

/** The digits after the second do not matter; of another major version nothing is known. */
function dialectOf(version: unknown): Dialect | undefined {
  if (typeof version !== 'string') return undefined;
  if (/^1\.\d+/.test(version)) return '1.0';
  return /^0\.3(?:\.|$)/.test(version) ? '0.3' : undefined;
}

function objects(list: unknown): Record<string, unknown>[] {
  return Array.isArray(list) ? list.slice(0, interfacesMax).filter(isObject) : [];
}
