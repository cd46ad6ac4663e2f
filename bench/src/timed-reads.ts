import type { HttpClient } from './http-client.ts';
import { type Quantiles, quantiles } from './quantiles.ts';

/** Asks again and again on one connection; the longest body in characters comes with the times. Fails if an answer is not 200. */
export async function timedReads(
  client: HttpClient,
  count: number,
  path: (index: number) => string,
): Promise<Quantiles & { readonly bytes: number }> {
  const times: number[] = [];
  let bytes = 0;
  for (let index = 0; index < count; index += 1) {
    const { status, body, ms } = await client.get(path(index));
    if (status !== 200) throw new Error(`${path(index)}: HTTP ${status} ${body}`);
    times.push(ms);
    bytes = Math.max(bytes, body.length);
  }
  return { ...quantiles(times), bytes };
}

/** One of a list, far from the one before. */
export function scattered<T>(list: readonly T[], index: number): T {
  const one = list[(index * 7_919) % list.length];
  if (one === undefined) throw new Error('there is nothing to read');
  return one;
}
