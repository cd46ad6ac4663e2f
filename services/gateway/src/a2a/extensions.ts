import { type Extensions, hitlExtension, idempotencyExtension } from '@stopgo/a2a-agent';
import type { RouteDependencies } from '../routes/route.ts';

/** The extensions of the agent: those that the gateway speaks, and those that its peers are to speak. */
export function extensionsOf({ a2aRequiredExtensions: required = [] }: RouteDependencies): Extensions {
  const spoken = [hitlExtension, idempotencyExtension];
  return { declared: [...spoken, ...required.filter((uri) => !spoken.includes(uri))], required };
}
