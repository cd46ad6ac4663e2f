import type { Approval } from '@stopgo/client';
import { Arguments } from '../approvals/arguments.tsx';
import { headlineOf, restOf } from '../approvals/words.ts';
import { Link } from '../ui/link.tsx';
import { Block, Line, Marked } from '../ui/text.tsx';
import { clockTime } from '../ui/time.tsx';

/** An approval as it stood: what was asked, and no way to decide. */
export function PastApproval({ approval, isNow }: { readonly approval: Approval; readonly isNow: boolean }) {
  const {
    uuid,
    tool_name: tool,
    server = '',
    reason,
    votes = [],
    votes_needed: needed = 1,
    expires_at: until,
  } = approval;
  const title = `then-${uuid}`;
  const rest = restOf(approval);
  return (
    <article className="card is-then" aria-labelledby={title}>
      <header className="card-head">
        <p className="card-kicker">{isNow ? 'Waits for a decision' : 'Waited for a decision then'}</p>
        <h2 id={title}>
          <Marked text={headlineOf(approval)} />
        </h2>
        <p className="card-what">
          <code>
            <Marked text={tool} />
          </code>
          {server === '' ? null : (
            <>
              {' '}
              on <Line text={server} />
            </>
          )}
        </p>
      </header>
      <Arguments value={approval.tool_args} />
      {rest === '' ? null : (
        <div className="card-rest">
          <Block text={rest} />
        </div>
      )}
      <dl className="facts">
        <div>
          <dt>Why it is asked</dt>
          <dd>{reason === undefined ? 'the rules want it' : <Line text={reason} />}</dd>
        </div>
        {needed > 1 ? (
          <div>
            <dt>Votes</dt>
            <dd>
              {votes.length} of {needed}
            </dd>
          </div>
        ) : null}
        {until === undefined ? null : (
          <div>
            <dt>Time until</dt>
            <dd>{clockTime(until)}</dd>
          </div>
        )}
      </dl>
      <p>
        <Link to={`/approvals/${uuid}`}>{isNow ? 'Show the approval' : 'Show what became of it'}</Link>
      </p>
    </article>
  );
}
