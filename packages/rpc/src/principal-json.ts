import { anonymous, invalidArgument, isRole, type Principal, parseJson, type Scope, scopes } from '@stopgo/core';

const ways: readonly string[] = ['token', 'api_key', 'link'];

/**
 * A principal as an internal peer sent it.
 *
 * @throws DomainError `invalid_argument` for what is none that this program knows: who acts is never guessed.
 */
export function parsePrincipal(json: string): Principal {
  const parsed = parseJson(json);
  const principal = isMapping(parsed) ? principalIn(parsed) : undefined;
  if (principal === undefined)
    throw invalidArgument('call context: the principal is of a kind that this service does not know; update it');
  return principal;
}

function principalIn(from: Readonly<Record<string, unknown>>): Principal | undefined {
  const { kind, id, keyId, email, name, role, groups, via, scopes: allowed, until, given } = from;
  if (kind === 'anonymous') return anonymous;
  if (kind === 'nobody') return { kind };
  if (kind === 'setup') return isText(keyId) ? { kind, keyId } : undefined;
  if (kind !== 'user' || !isText(id) || !isText(email) || !isText(name) || !isRole(role)) return undefined;
  if (!isWay(via) || !isTexts(groups)) return undefined;
  if (until !== undefined && typeof until !== 'number') return undefined;
  if (given !== undefined && given !== true) return undefined;
  const user = {
    ...({ kind, id, email, name, role, groups, via } as const),
    ...(until === undefined ? {} : { until }),
    ...(given === undefined ? {} : ({ given: true } as const)),
  };
  if (allowed === undefined) return user;
  return isTexts(allowed) ? { ...user, scopes: allowed.filter(isScope) } : undefined;
}

const isMapping = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isText = (value: unknown): value is string => typeof value === 'string';
const isTexts = (value: unknown): value is readonly string[] => Array.isArray(value) && value.every(isText);
const isScope = (value: string): value is Scope => scopes.some((one) => one === value);
const isWay = (value: unknown): value is 'token' | 'api_key' | 'link' => isText(value) && ways.includes(value);
