// Whether what JetStream acknowledges is on disk.
//
// By default a server writes through every two minutes only: a power cut loses what it acknowledged meanwhile. Three copies
// outlive that on one of them; with fewer the server that keeps the stream must write through each time, and the only place
// where it shows that is its monitoring address.

import type { StreamInfo } from '@nats-io/jetstream';
import type { ServerInfo } from '@nats-io/transport-node';
import { failedPrecondition, unavailable } from '@stopgo/core';
import type { Logger } from '@stopgo/runtime';
import { messageOf } from '@stopgo/runtime';
import { monitorMsMax } from './bounds.ts';

/** Copies with which the loss of what one server had not written is no loss. */
const copiesEnough = 3;

export type DurabilityOptions = {
  readonly address: string;
  readonly monitorUrl: string | undefined;
  /** Go on, with a warning, where nothing is shown. */
  readonly accepted: boolean;
  /** Whether the server that is asked about still answers. Does not reject. */
  readonly isStillThere: () => Promise<boolean>;
  readonly log: Logger;
};

/**
 * Looks whether acknowledged means on disk.
 *
 * @throws DomainError `failed_precondition` with one line that says how to make it so, if that is not accepted;
 * `unavailable` if the monitoring address is silent, or the server is gone before it has told.
 */
export async function checkDurability(
  info: StreamInfo,
  server: ServerInfo | undefined,
  options: DurabilityOptions,
): Promise<void> {
  if (info.config.num_replicas >= copiesEnough) return;
  const why = await whyNot(info, server, options);
  if (why === undefined) return;
  const problem = `what NATS at ${options.address} acknowledges may be lost in a power cut: ${why}`;
  if (!options.accepted)
    throw failedPrecondition(
      `${problem}; or use ${copiesEnough} replicas, or accept the risk with nats.accept_unverified_durability: true`,
    );
  options.log.warn(`${problem}; started all the same, as nats.accept_unverified_durability says`);
}

/** Undefined if the server that keeps the stream writes through; else what is wrong and what to do. */
async function whyNot(
  info: StreamInfo,
  server: ServerInfo | undefined,
  { monitorUrl, accepted, isStillThere }: DurabilityOptions,
): Promise<string | undefined> {
  const wanted = 'set sync_interval: always in its jetstream block';
  if (monitorUrl === undefined)
    return `no NATS_MONITOR_URL says where it shows its settings; ${wanted} and http: 127.0.0.1:8222, and name that address`;
  if (!isPlainHttp(monitorUrl))
    return 'NATS_MONITOR_URL is no address such as http://127.0.0.1:8222; give it the monitoring address of the server';
  let shown: Shown;
  try {
    shown = await ask(monitorUrl);
  } catch (error) {
    // A server that stands still, or is being restarted, is waited for, as everywhere.
    if (!accepted && (isSilence(error) || !(await isStillThere())))
      throw unavailable(`its monitoring address ${monitorUrl} does not answer now (${reasonOf(error)})`);
    return `its monitoring address ${monitorUrl} does not tell (${reasonOf(error)}); check NATS_MONITOR_URL, and http: in the server's configuration`;
  }
  const keeper = info.cluster?.leader || server?.server_name;
  // Names may be given twice, ids not; of a server that is not the one we talk to only the name is known.
  const isKeeper = keeper === server?.server_name ? shown.id === server?.server_id : shown.name === keeper;
  if (!isKeeper)
    return `${monitorUrl} is of the server ${shown.name} (${shown.id}), and the stream ${info.config.name} is kept by another, ${keeper}; give NATS_MONITOR_URL the address of that one`;
  return shown.writesThrough ? undefined : `it has no sync_interval: always; ${wanted} and restart it`;
}

type Shown = { readonly id: string; readonly name: string; readonly writesThrough: boolean };

async function ask(monitorUrl: string): Promise<Shown> {
  const url = new URL('varz', monitorUrl.endsWith('/') ? monitorUrl : `${monitorUrl}/`);
  const response = await fetch(url, { signal: AbortSignal.timeout(monitorMsMax), redirect: 'error' });
  if (!response.ok) throw new Error(`status ${response.status}`);
  const varz: unknown = await response.json();
  return {
    id: String(field(varz, 'server_id')),
    name: String(field(varz, 'server_name')),
    writesThrough: field(field(field(varz, 'jetstream'), 'config'), 'sync_always') === true,
  };
}

function field(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null
    ? Object.entries(value).find(([key]) => key === name)?.[1]
    : undefined;
}

/** An address without credentials: it is printed. */
function isPlainHttp(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, username, password } = new URL(text);
  return (protocol === 'http:' || protocol === 'https:') && username === '' && password === '';
}

/** What failed, which `fetch` hides in the cause. */
function reasonOf(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined;
  return messageOf(cause instanceof Error ? cause : error);
}

/** What `fetch` says of a connection that was made, and that the server broke off. */
const brokenOff: ReadonlySet<unknown> = new Set(['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET']);

/** True if somebody was there and said nothing, or broke off, as a server does that is restarted at that moment. */
function isSilence(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { cause } = error;
  return error.name === 'TimeoutError' || (cause instanceof Error && 'code' in cause && brokenOff.has(cause.code));
}
