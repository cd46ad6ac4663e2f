// Takes over what whoever started this process has put into a descriptor, and not into the environment, which every process of the
// same user can read for as long as this one lives: handing-over.sh, or the launcher.
import { closeSync, readFileSync } from 'node:fs';

/** Name of the variable that says which descriptor it is. What is in it: NAME=VALUE, each ended by a zero byte. */
export const handedOverIn = 'STOPGO_ENVIRONMENT_FD';

/** What {@link takeHandedOver} reads. */
export function handOver(variables) {
  return Object.entries(variables)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}=${value}\0`)
    .join('');
}

/**
 * Puts what was handed over into `env`; does nothing where nothing was, and the second time. From then on it looks as if it had been
 * there all along: so nothing that this process starts may be given all of its environment.
 */
export function takeHandedOver(env = process.env) {
  const descriptor = env[handedOverIn];
  if (descriptor === undefined) return;
  delete env[handedOverIn];
  const text = readFileSync(Number(descriptor), 'utf8');
  closeSync(Number(descriptor));
  for (const entry of text.split('\0')) {
    const at = entry.indexOf('=');
    if (at > 0) env[entry.slice(0, at)] = entry.slice(at + 1);
  }
}
