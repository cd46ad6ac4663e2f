import { Store, useStore } from './store.ts';

/** Where in the app somebody is: the address says it, so that a reload and a link lead there. */
export type Place =
  | { readonly page: 'chat'; readonly conversation?: string; readonly query: string }
  | { readonly page: 'approvals'; readonly approval?: string; readonly query: string }
  | { readonly page: 'questions'; readonly conversation?: string; readonly question?: string; readonly query: string }
  | { readonly page: 'run'; readonly conversation: string; readonly query: string }
  /** `rest` is what follows in the address, decoded: `/agents/NAME` has one, `/agents` none. */
  | { readonly page: 'agents' | 'operations'; readonly rest: readonly string[]; readonly query: string }
  /** `isBack`: an authorization server has led here. */
  | { readonly page: 'accounts'; readonly isBack: boolean; readonly query: string }
  | { readonly page: 'unknown' };

const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

export function placeOf(path: string, query: string): Place {
  const [first = '', second, ...more] = path.split('/').slice(1);
  if (first === 'agents' || first === 'operations') {
    const rest = [second, ...more].flatMap((one) => (one === undefined || one === '' ? [] : [decoded(one)]));
    return rest.includes(undefined) ? { page: 'unknown' } : { page: first, rest: rest as string[], query };
  }
  if (first === 'accounts' && second === undefined) return { page: 'accounts', isBack: false, query };
  if (path === '/connections/callback') return { page: 'accounts', isBack: true, query };
  if (first === 'c' && second !== undefined && uuid.test(second) && more.length === 1 && more[0] === 'run')
    return { page: 'run', conversation: second, query };
  if (first === 'questions' && (second === undefined || second === '')) return { page: 'questions', query };
  if (
    first === 'questions' &&
    second !== undefined &&
    uuid.test(second) &&
    more.length === 1 &&
    uuid.test(more[0] ?? '')
  )
    return { page: 'questions', conversation: second, question: more[0] ?? '', query };
  if (more.length > 0) return { page: 'unknown' };
  if (first === '' && second === undefined) return { page: 'chat', query };
  if (first === 'c' && second !== undefined && uuid.test(second)) return { page: 'chat', conversation: second, query };
  if (first === 'approvals' && (second === undefined || second === '')) return { page: 'approvals', query };
  if (first === 'approvals' && second !== undefined && uuid.test(second))
    return { page: 'approvals', approval: second, query };
  return { page: 'unknown' };
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

const here = (): Place => placeOf(location.pathname, location.search);
const place = new Store<Place>(here());
window.addEventListener('popstate', () => place.set(here()));

/** Goes to an address of the app; `replace` leaves no way back to where one was. */
export function go(path: string, replace = false): void {
  if (path === location.pathname + location.search) return;
  if (replace) history.replaceState(null, '', path);
  else history.pushState(null, '', path);
  place.set(here());
}

export const usePlace = (): Place => useStore(place);
