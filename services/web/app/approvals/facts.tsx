import type { Approval } from '@stopgo/client';
import type { ReactNode } from 'react';
import { Link } from '../ui/link.tsx';
import { Block, count, Line } from '../ui/text.tsx';
import { Time, TimeLeft } from '../ui/time.tsx';
import { Assigned } from './assign.tsx';
import { Diff } from './diff-view.tsx';

/** What else is known of an approval: why it is asked, by which agents, who may decide and who has, and how long. */
export function Facts({ approval, isInChat }: { readonly approval: Approval; readonly isInChat: boolean }) {
  const { reason, approvers, votes_needed: needed = 1, votes = [], expires_at: until, status, edited } = approval;
  const isPending = status === 'pending';
  const chain = approval.agents ?? approval.agent_path ?? [];
  return (
    <>
      {edited === undefined ? null : (
        <section className="edited" aria-label="What was changed">
          <p>
            <Line text={edited.by} />
            {edited.claimed ? ' (unverified name)' : ''} changed the arguments.
            {edited.said === undefined ? null : (
              <>
                {' '}
                “<Block text={edited.said} />”
              </>
            )}
          </p>
          <Diff before={edited.tool_args_before} after={approval.tool_args} />
        </section>
      )}
      <dl className="facts">
        <Fact name="Why it is asked">{reason === undefined ? 'the rules want it' : <Line text={reason} />}</Fact>
        {chain.length === 0 ? null : (
          <Fact name="Agents">
            {chain.map((name, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: an agent may stand in the chain twice, and the chain never changes
              <span key={index}>
                {index === 0 ? '' : ' → '}
                <Line text={name} />
              </span>
            ))}
          </Fact>
        )}
        {approval.node === undefined ? null : (
          <Fact name="Step">
            <Line text={approval.node} />
          </Fact>
        )}
        {approval.agent_source?.git_commit === undefined ? null : (
          <Fact name="Commit">
            <code>{approval.agent_source.git_commit.slice(0, 12)}</code>
          </Fact>
        )}
        {approvers === undefined ? null : (
          <Fact name="Who may decide">
            {approvers.map((one, index) => (
              <span key={one}>
                {index === 0 ? '' : ', '}
                <Line text={one} />
              </span>
            ))}
            {approval.separation_of_duties ? ', but not whoever asked the agent' : ''}
          </Fact>
        )}
        {needed > 1 || votes.length > 0 ? (
          <Fact name="Votes">
            <Votes votes={votes} needed={needed} />
          </Fact>
        ) : null}
        {approval.assignee === undefined && !isPending ? null : (
          <Fact name="Assigned to">
            <Assigned approval={approval} />
          </Fact>
        )}
        {until === undefined || !isPending ? null : (
          <Fact name="Time">
            <TimeLeft until={until} />
            {approval.on_expiry === 'leave' ? '; it stays open after that' : '; rejected after that'}
          </Fact>
        )}
        <Fact name="Asked">
          <Time at={approval.created_at} />
          {approval.overdue ? <span className="tag bad">overdue</span> : null}
        </Fact>
        {isInChat ? null : (
          <Fact name="Conversation">
            <Link to={`/c/${approval.conversation_id}`}>Show what led to it</Link>
          </Fact>
        )}
      </dl>
    </>
  );
}

const Fact = ({ name, children }: { readonly name: string; readonly children: ReactNode }) => (
  <div>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </div>
);

function Votes({ votes, needed }: { readonly votes: NonNullable<Approval['votes']>; readonly needed: number }) {
  return (
    <>
      {votes.length} of {count(needed, 'vote')}
      {votes.length === 0 ? '' : ': '}
      {votes.map(({ by, claimed, at }, index) => (
        <span key={`${by}${at}`}>
          {index === 0 ? '' : ', '}
          <Line text={by === '' ? 'somebody' : by} />
          {claimed ? ' (unverified name)' : ''}
        </span>
      ))}
    </>
  );
}
