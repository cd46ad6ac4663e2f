import { lengthOf } from '../ui/time.tsx';
import type { ToolServer } from './types.ts';

type Words = { readonly state: string; readonly tone: 'good' | 'wait' | 'bad'; readonly done?: string };

const states: Readonly<Record<string, Words>> = {
  starting: { state: 'Starting', tone: 'wait', done: 'Calls of its tools wait for it a while.' },
  ready: { state: 'Ready', tone: 'good' },
  not_offered: { state: 'Connected, but offers nothing', tone: 'wait' },
  degraded: {
    state: 'Gives no sign of life',
    tone: 'wait',
    done: 'It is asked again. If it stays silent it is given up and connected anew.',
  },
  backoff: {
    state: 'Out of reach',
    tone: 'bad',
    done: 'It is tried again by itself. A call waits ten seconds for it, then its agent is told.',
  },
  crash_loop: {
    state: 'Ends again and again',
    tone: 'bad',
    done: 'Calls of its tools are refused. It is tried again every five minutes.',
  },
  quarantined: {
    state: 'Refused for what it is',
    tone: 'bad',
    done: 'Calls of its tools are refused. It is looked at again every five minutes.',
  },
  stopped: { state: 'Stopped', tone: 'bad' },
};

/** How a tool server is, in words, and what the platform does about it. */
export function serverWords({ state, retry_after_ms: retry }: ToolServer): Words {
  const words = states[state] ?? { state: 'Unknown', tone: 'wait' as const };
  if (state !== 'backoff' || retry === undefined) return words;
  const when = retry < 60_000 ? `${Math.max(1, Math.round(retry / 1_000))} s` : lengthOf(retry);
  return { ...words, done: `Tried again in ${when}. A call waits ten seconds for it, then its agent is told.` };
}
