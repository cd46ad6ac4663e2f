import { readFile } from 'node:fs/promises';
import { setTimeout } from 'node:timers/promises';
import { run } from './run.ts';

/** Pause between two looks for networks that have come up, in milliseconds. */
const pauseMs = 200;

/**
 * Has the networks of some containers keep the hardware addresses that they come up with, from as soon as they are there until
 * the start has ended. The network of podman 4.3 goes by the lowest address of its containers, so it gets another one as they come
 * and go; a container that still knows the old one reaches no name server for up to 40 seconds. Does nothing where the
 * machine does not allow it, as for whoever is not root.
 */
export async function keepBridgeAddresses(networks: () => Promise<readonly string[]>, start: Promise<unknown>) {
  const kept = new Set<string>();
  let hasStarted = false;
  const ended = () => {
    hasStarted = true;
  };
  const started = start.then(ended, ended);
  for (;;) {
    const isLast = hasStarted;
    for (const network of await networks()) if (!kept.has(network) && (await isKept(network))) kept.add(network);
    if (isLast) return;
    await Promise.race([started, setTimeout(pauseMs)]);
  }
}

/** An address that is set stays, even if it is set to what it was. */
async function isKept(network: string): Promise<boolean> {
  const inspected = await run('podman', ['network', 'inspect', '--format', '{{.NetworkInterface}}', network]);
  const bridge = inspected.stdout.trim();
  const address = await readFile(`/sys/class/net/${bridge}/address`, 'utf8').catch(() => undefined);
  if (inspected.code !== 0 || bridge === '' || address === undefined) return false;
  return (await run('ip', ['link', 'set', 'dev', bridge, 'address', address.trim()])).code === 0;
}
