import { exactJson } from '@stopgo/client';
import { askGateway } from './gateway.ts';
import { GatewayError, notPlatform } from './gateway-error.ts';

/** The list under a name in what was answered at `url`. @throws GatewayError if there is none: who answers there is no platform. */
export function listIn<T>(url: string, answered: object, name: string): readonly T[] {
  const list = (answered as Readonly<Record<string, unknown>>)[name];
  if (Array.isArray(list)) return list as T[];
  throw notPlatform(url, `JSON that holds no ${name}`, exactJson(answered));
}

/** The same of an object. @throws as `listIn`. */
export function objectIn<T extends object>(url: string, answered: object, name: string): T {
  const object = (answered as Readonly<Record<string, unknown>>)[name];
  if (typeof object === 'object' && object !== null) return object as T;
  throw notPlatform(url, `JSON that holds no ${name}`, exactJson(answered));
}

/**
 * Sends what a human has decided; `what` it is: `decision`.
 *
 * @throws GatewayError as `askGateway`. If nobody knows whether it was taken, it says so, and how to find out.
 */
export async function sendDecided(url: string, path: string, body: object, what: string): Promise<object> {
  try {
    return await askGateway(url, path, { body });
  } catch (error) {
    if (!(error instanceof GatewayError) || error.outcome !== 'unknown') throw error;
    const remedy = `the ${what} may have been recorded: give the same command again to find out, which records nothing twice`;
    throw new GatewayError(`${error.message}; ${remedy}`, error.outcome, error.mayPass);
  }
}
