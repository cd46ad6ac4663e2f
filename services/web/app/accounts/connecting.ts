import { useState } from 'react';
import { platform } from '../api/platform.ts';
import { wordsOf } from '../api/words.ts';

/** Where authorization servers lead back to. */
export const cameBackPath = '/connections/callback';

const isWebAddress = (address: string): boolean => ['https:', 'http:'].includes(new URL(address).protocol);

/** Leads to where somebody logs in at the account of a tool server; says why that cannot be. */
export function useConnecting(server: string): {
  readonly begin: () => Promise<void>;
  readonly isBeginning: boolean;
  readonly problem: string;
} {
  const [isBeginning, setBeginning] = useState(false);
  const [problem, setProblem] = useState('');
  const begin = async (): Promise<void> => {
    setBeginning(true);
    setProblem('');
    try {
      const body = { redirect_uri: `${location.origin}${cameBackPath}` };
      const { url } = await platform.call('POST /connections/{server}', { path: { server }, body });
      // The platform has looked at it already; nothing but a page is ever opened.
      if (!isWebAddress(url)) throw new Error('The server leads to what is no page.');
      location.assign(url);
    } catch (error) {
      setProblem(wordsOf(error));
      setBeginning(false);
    }
  };
  return { begin, isBeginning, problem };
}
