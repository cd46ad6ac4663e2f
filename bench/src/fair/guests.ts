// Conversations that ask much of the platform, beside the ordinary ones.

import type { HttpClient } from '../http-client.ts';
import { stdioTool } from '../platform.ts';
import { erasing, type Turn, turnOf } from '../turn.ts';
import { type Guest, slowMs } from './runs.ts';

/** The length of each message of the large conversation, in characters. */
const largeMessageLength = 1_000;

/** The tool of ordinary conversations: one on each of the servers, in turn. */
export const ordinaryTool = (server: number): string => `erase${server}`;
const slowTool = 'erase_slowly';

/** The tool servers, each a process of its own: so many that are quick, and the slow one. As a configuration has them. */
export function toolServers(quick: number): readonly object[] {
  const server = (name: string, ...args: string[]): object => {
    return { name: `server-${name.replaceAll('_', '-')}`, era: 'legacy', ...stdioTool('--name', name, ...args) };
  };
  const names = Array.from({ length: quick }, (_, index) => ordinaryTool(index));
  return [...names.map((name) => server(name)), server(slowTool, '--call-ms', String(slowMs))];
}

/** One turn of the guest on its conversation. */
export function guestTurn(guest: Guest, client: HttpClient, conversation: string, note: string): Promise<Turn> {
  switch (guest) {
    case 'slow tool':
      return turnOf(client, conversation, erasing(note, slowTool));
    case 'slow model':
      return turnOf(client, conversation, `wait ${slowMs}, ${erasing(note, ordinaryTool(0))}`);
    case 'large conversation':
      return turnOf(client, conversation, erasing(note, ordinaryTool(0)));
  }
}

/** Makes a conversation large: so many messages, each with its answer. */
export async function fill(client: HttpClient, conversation: string, messages: number): Promise<void> {
  const message = 'the numbers of last week were copied '.repeat(largeMessageLength).slice(0, largeMessageLength);
  for (let sent = 0; sent < messages; sent += 1) {
    const { status, body } = await client.post(`/conversations/${conversation}/messages`, { message });
    if (status !== 200) throw new Error(`message: HTTP ${status} ${body}`);
  }
}
