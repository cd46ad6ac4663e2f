import { readdirSync, readFileSync } from 'node:fs';
import { until } from './http.ts';

/** Ids of processes whose command line or environment names a text, such as the folder of a test. */
export function processesOf(text: string): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .filter((pid) => ['cmdline', 'environ'].some((file) => read(`/proc/${pid}/${file}`).includes(text)))
    .map(Number);
}

/** Waits until no process names a text any more. */
export async function noneLeftOf(text: string): Promise<void> {
  await until(`no process of ${text} is left`, async () => (processesOf(text).length === 0 ? true : undefined));
}

/** A process may be gone by the time that it is looked at. */
function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
