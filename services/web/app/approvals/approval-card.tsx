import type { Approval } from '@stopgo/client';
import { useState } from 'react';
import { Button } from 'react-aria-components';
import { wordsOf } from '../api/words.ts';
import { Icon } from '../ui/icon.tsx';
import { useShortcuts } from '../ui/shortcuts.ts';
import { Block, Line, Marked } from '../ui/text.tsx';
import { Arguments } from './arguments.tsx';
import { Confirm } from './confirm.tsx';
import { type Decision, decide } from './decide.ts';
import { EditArguments } from './edit-arguments.tsx';
import { Facts } from './facts.tsx';
import { type Choice, choicesOf, headlineOf, outcomeOf, restOf } from './words.ts';

/** What somebody is asked, all that they need to decide, and the decision. */
export function ApprovalCard(given: {
  readonly approval: Approval;
  readonly isInChat?: boolean;
  /** The keys a, r and e are for this one. */
  readonly hasKeys?: boolean;
}) {
  const { approval, isInChat = false, hasKeys = false } = given;
  const outcome = outcomeOf(approval);
  const title = `approval-${approval.uuid}`;
  return (
    <article className={outcome === undefined ? 'card' : `card settled ${approval.status}`} aria-labelledby={title}>
      <header className="card-head">
        <p className="card-kicker">{outcome === undefined ? kickerOf(approval) : null}</p>
        <h2 id={title}>
          <Marked text={headlineOf(approval)} />
        </h2>
        <p className="card-what">
          <code>
            <Marked text={approval.tool_name} />
          </code>
          {approval.server === undefined || approval.server === '' ? null : (
            <>
              {' '}
              on <Line text={approval.server} />
            </>
          )}
          {approval.remote_agent_name === undefined ? null : (
            <>
              {' '}
              by the agent <Line text={approval.remote_agent_name} />
            </>
          )}
        </p>
      </header>
      <Arguments value={approval.tool_args} />
      <Rest approval={approval} />
      <Facts approval={approval} isInChat={isInChat} />
      <div role="status" className="card-outcome">
        {outcome === undefined ? null : (
          <p>
            <Icon name={approval.status === 'approved' ? 'check' : 'cross'} /> <Block text={outcome} />.
            {approval.said === undefined ? null : (
              <>
                {' '}
                “<Block text={approval.said} />”
              </>
            )}
          </p>
        )}
      </div>
      {outcome === undefined ? <Decide approval={approval} hasKeys={hasKeys} /> : null}
    </article>
  );
}

const kickerOf = ({ kind }: Approval): string => (kind === 'in_doubt' ? 'In doubt' : 'Waits for your decision');

function Rest({ approval }: { readonly approval: Approval }) {
  const rest = restOf(approval);
  const { description_cut: isCut } = approval;
  return (
    <>
      {rest === '' ? null : (
        <div className="card-rest">
          <Block text={rest} />
        </div>
      )}
      {isCut ? (
        <p className="card-note">The description was too long and is cut. The arguments above are whole.</p>
      ) : null}
    </>
  );
}

/** The ways to decide. A key or a press that asks for more opens it below; nothing is decided by one key alone. */
function Decide({ approval, hasKeys }: { readonly approval: Approval; readonly hasKeys: boolean }) {
  const [asked, setAsked] = useState<Choice>();
  const [isEditing, setEditing] = useState(false);
  const [isSending, setSending] = useState(false);
  const [problem, setProblem] = useState('');
  const choices = choicesOf(approval);
  const named = (action: string) => choices.find((one) => one.action === action);
  const canEdit = approval.kind === 'tool' && named('approve') !== undefined;
  const carryOut = async (decision: Decision): Promise<void> => {
    setSending(true);
    setProblem('');
    try {
      await decide(approval, decision);
      setAsked(undefined);
      setEditing(false);
    } catch (error) {
      setProblem(wordsOf(error));
    } finally {
      setSending(false);
    }
  };
  const askFor = (choice: Choice | undefined) => (hasKeys && choice !== undefined ? () => setAsked(choice) : undefined);
  useShortcuts({
    a: askFor(named('approve')),
    r: askFor(named('reject')),
    e: hasKeys && canEdit ? () => setEditing(true) : undefined,
  });
  return (
    <footer className="card-decide">
      {asked === undefined ? (
        <div className="buttons">
          {choices.map((choice) => (
            <Button
              key={choice.action}
              className={`button ${choice.tone}`}
              isDisabled={isSending}
              onPress={() => (choice.action === 'approve' ? void carryOut({ action: 'approve' }) : setAsked(choice))}
            >
              {choice.tone === 'plain' ? null : <Icon name={choice.tone === 'go' ? 'check' : 'cross'} />}
              {choice.label}
            </Button>
          ))}
          {canEdit ? (
            <Button className="button quiet" isDisabled={isSending} onPress={() => setEditing(true)}>
              <Icon name="pen" /> Change…
            </Button>
          ) : null}
        </div>
      ) : (
        <Confirm
          choice={asked}
          isSending={isSending}
          onConfirm={(decision) => void carryOut(decision)}
          onCancel={() => setAsked(undefined)}
        />
      )}
      <p role="alert" className="problem">
        {problem}
      </p>
      {canEdit ? (
        <EditArguments
          approval={approval}
          isOpen={isEditing}
          isSending={isSending}
          problem={problem}
          onClose={() => setEditing(false)}
          onApprove={(argumentsText, reason) => void carryOut({ action: 'approve', argumentsText, reason })}
        />
      ) : null}
    </footer>
  );
}
