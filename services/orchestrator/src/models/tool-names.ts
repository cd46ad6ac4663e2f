import { createHash } from 'node:crypto';

/** What every provider accepts as the name of a tool. */
const accepted = /^[A-Za-z_][A-Za-z0-9_-]{0,63}$/;
const digestLength = 20;
const prefixLengthMax = 64 - digestLength - 2;
// A name that looks like one of ours is mapped too; else a server could choose it to take another tool's place.
const mapped = new RegExp(`__[0-9a-f]{${digestLength}}$`);

/**
 * The name under which a tool is shown to a provider: its own if every provider takes it, else a readable beginning
 * and a digest of the whole name. It depends on nothing but the name, so a transcript reads the same in every request;
 * different names never get the same one (as long as 80 bits of SHA-256 do not collide).
 */
export function providerToolName(name: string): string {
  if (accepted.test(name) && !mapped.test(name)) return name;
  const digest = createHash('sha256').update(name).digest('hex').slice(0, digestLength);
  const readable = name.replace(/[^A-Za-z0-9_-]/g, '_').replace(/^(?![A-Za-z_])/, '_');
  return `${readable.slice(0, prefixLengthMax)}__${digest}`;
}

/** The way back, for the tools of one request. A name that was not offered comes back as the model wrote it. */
export function createToolNameReader(tools: readonly { readonly name: string }[]): (providerName: string) => string {
  const names = new Map(tools.map(({ name }) => [providerToolName(name), name]));
  return (providerName) => names.get(providerName) ?? providerName;
}
