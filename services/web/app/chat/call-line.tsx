import { Arguments } from '../approvals/arguments.tsx';
import { Icon } from '../ui/icon.tsx';
import { Exact, Line } from '../ui/text.tsx';
import type { Call, CallState } from './transcript.ts';

const words: Readonly<Record<CallState, string>> = {
  waiting: 'waits for a decision',
  asking: 'waits for an answer',
  login: 'waits for a login',
  running: 'is running',
  done: 'done',
  failed: 'failed',
  doubt: 'nobody knows whether it ran',
  refused: 'was not sent',
  rejected: 'was rejected',
  ended: 'was ended',
};

/** One use of a tool on one line, with what it was given and what came back folded below. */
export function CallLine({ call }: { readonly call: Call }) {
  const { tool, server, state, args, result, note, ms } = call;
  return (
    <details className={`call ${state}`}>
      <summary>
        <Icon name={state === 'failed' || state === 'doubt' ? 'warn' : 'tool'} />
        <span className="call-name">
          <Line text={tool} />
        </span>
        {server === '' ? null : (
          <span className="call-server">
            on <Line text={server} />
          </span>
        )}
        <span className={`call-state ${state}`}>
          {words[state]}
          {ms === undefined || state !== 'done'
            ? ''
            : ` in ${ms < 1_000 ? `${ms} ms` : `${(ms / 1_000).toFixed(1)} s`}`}
        </span>
      </summary>
      <div className="call-body">
        <p className="call-part">What it was given</p>
        <Arguments value={args} />
        {note === undefined || note === '' ? null : (
          <p className="call-note">
            <Exact text={note} label="the note" />
          </p>
        )}
        {result === undefined ? null : (
          <>
            <p className="call-part">What came back</p>
            <div className="result">
              {result === '' ? <em>nothing</em> : <Exact text={result} label="the result" />}
            </div>
          </>
        )}
      </div>
    </details>
  );
}
