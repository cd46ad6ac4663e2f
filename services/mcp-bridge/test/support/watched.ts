import { type Beat, Heartbeat, type Peer } from '@stopgo/log';

/** Time to live of the bridges that are watched, in milliseconds. */
export const ttlMs = 900;

/** Bridges that are watched, with one clock that is moved by hand. */
export function watched() {
  let at = 0;
  const peers = new Map<string, Peer>();
  const beat: Beat = ({ leaving: _, ...peer }) => {
    peers.set(peer.instance, peer);
    return Promise.resolve({ instances: [...peers.values()], complete: false });
  };
  const clock = { now: () => at, monotonic: () => at, sleep: () => new Promise<void>(() => undefined) };
  const pass = (ms: number) => {
    at += ms;
  };
  const heartbeat = (instance: string) =>
    new Heartbeat({ beat, clock, ttlMs, instance, role: 'mcp-bridge', address: `${instance}:1`, renames: true });
  return { pass, heartbeat, peers };
}
