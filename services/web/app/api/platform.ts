import { type ApiError, createClient } from '@stopgo/client';
import { apiKey } from './identity.ts';
import { mayGoOn, pageOf } from './login.ts';
import { fetchInPlace } from './stream-turns.ts';

/** Headers that say who asks: with a key, or as whom the page was made. */
export const signedIn = (): Record<string, string> => (apiKey() === '' ? pageOf() : { 'X-API-Key': apiKey() });

/** Told whenever the platform wants to know who asks, with what it says of why. */
export const onSignInWanted = new Set<(why: string) => void>();

/** How often something is asked for in all. Somebody looks at the page: what takes longer is told them, and they ask again. */
const triesMax = 3;
/** The same, in milliseconds. */
const totalMs = 5_000;

const isStream = (init: RequestInit | undefined): boolean =>
  new Headers(init?.headers).get('accept') === 'text/event-stream';

/** The platform, as whoever uses this tab is let in. */
export const platform = createClient({
  url: '/api',
  credentials: signedIn,
  renew: ({ body }) => mayGoOn(body),
  onRefused: (refusal) => {
    if (refusal.status === 401) for (const tell of onSignInWanted) tell(whyIn(refusal));
  },
  retries: { triesMax, totalMs },
  fetch: (input, init) => (isStream(init) ? fetchInPlace(input, init) : fetch(input, init)),
});

/** What a person is told of why they have to sign in: nothing where nobody was signed in before. */
const whyIn = ({ body }: ApiError): string =>
  body.session === 'none' || typeof body.error !== 'string' ? '' : body.error;
