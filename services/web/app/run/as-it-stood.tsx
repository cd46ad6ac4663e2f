import type { Approval } from '@stopgo/client';
import { useEffect, useMemo, useState } from 'react';
import { platform } from '../api/platform.ts';
import { wordsOf } from '../api/words.ts';
import { Log } from '../chat/log.tsx';
import { TranscriptBuilder } from '../chat/transcript-builder.ts';
import { PastApproval } from './past-approval.tsx';
import type { Events } from './record.ts';

/** The conversation as its events up to a revision tell it, with what waited for people then. Nothing can be decided here. */
export function AsItStood(given: {
  readonly conversation: string;
  readonly events: Events;
  readonly last: number;
  /** Absent: as it stands now. */
  readonly revision: number | undefined;
  readonly upTo: number;
}) {
  const { conversation, events, last, revision, upTo } = given;
  const { all } = events;
  const transcript = useMemo(() => {
    const builder = new TranscriptBuilder();
    for (const event of all.slice(0, upTo)) builder.take(event);
    return builder.shown();
  }, [all, upTo]);
  const { approvals, problem } = useWaitedThen(conversation, revision ?? last);
  return (
    <div className="as-it-stood">
      <Log transcript={transcript} sending={undefined} onRetry={() => undefined}>
        {approvals.map((one) => (
          <PastApproval key={one.uuid} approval={one} isNow={revision === undefined} />
        ))}
        <p role="status" className="list-note">
          {problem}
        </p>
      </Log>
    </div>
  );
}

/** Whoever moves through the record asks about where they rest for so long, in milliseconds. */
const restsMs = 200;

/** The approvals that waited at a revision, as the platform has it. */
function useWaitedThen(conversation: string, revision: number) {
  const [known, setKnown] = useState<{ revision: number; approvals: readonly Approval[]; problem: string }>();
  useEffect(() => {
    const ended = new AbortController();
    const timer = setTimeout(() => {
      const asking = { prefer: 'return=minimal', signal: ended.signal };
      platform.conversations.get(conversation, { revision }, asking).then(
        (then) => setKnown({ revision, approvals: then.pending_approvals, problem: '' }),
        (error) => {
          if (!ended.signal.aborted)
            setKnown({ revision, approvals: [], problem: `What waited then is not known: ${wordsOf(error)}` });
        },
      );
    }, restsMs);
    return () => {
      clearTimeout(timer);
      ended.abort();
    };
  }, [conversation, revision]);
  // What waited at another revision is none of this one.
  return known?.revision === revision ? known : { approvals: [], problem: '' };
}
