import type { Endpoints, ProviderName, ResolvedModel } from './model-name.ts';
import { providers } from './providers.ts';

type Supported = Extract<ResolvedModel, { readonly kind: 'supported' }>;

/** Where the requests for a model go, and with what. */
export type Place = {
  readonly provider: ProviderName;
  readonly baseUrl: string;
  /** The variable that holds the key; undefined if none is sent. */
  readonly keyVariable: string | undefined;
  /** What is told of an address that is none. */
  readonly nameOfUrl: string;
};

type ReadVariable = (variable: string) => string;

/** A key goes only where it is meant for: another address of a provider is not sent the usual key. */
export function placeOf({ provider, endpoint }: Supported, endpoints: Endpoints, read: ReadVariable): Place {
  const { keyVariable, urlVariable, defaultUrl } = providers[provider];
  const usual = read(urlVariable) || defaultUrl;
  const named = endpoint === undefined ? undefined : endpoints[endpoint];
  if (named === undefined) return { provider, baseUrl: usual, keyVariable, nameOfUrl: urlVariable };
  return {
    provider,
    baseUrl: named.url ?? usual,
    keyVariable: named.keyVariable ?? (named.url === undefined ? keyVariable : undefined),
    nameOfUrl: named.url === undefined ? urlVariable : `api_url of the provider "${endpoint}"`,
  };
}

/** What may stand in the header that a key is sent in. */
const fitsHeader = /^[\x21-\x7e]*$/;

/** What keeps a model from being asked there, one line each. */
export function problemsOfPlace(
  { keyVariable, baseUrl, nameOfUrl }: Place,
  name: string,
  read: ReadVariable,
): string[] {
  const key = keyVariable === undefined ? undefined : read(keyVariable);
  return [
    ...(key !== undefined && !fitsHeader.test(key)
      ? [`${keyVariable} holds a character that no key has, such as a line break (needed by model "${name}")`]
      : []),
    ...(key === '' ? [`${keyVariable} environment variable not set (needed by model "${name}")`] : []),
    ...(isHttpUrl(baseUrl) ? [] : [`${nameOfUrl} is not an http or https URL (needed by model "${name}")`]),
  ];
}

function isHttpUrl(text: string): boolean {
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);
}
