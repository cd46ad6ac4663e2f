import type { Approval } from '@stopgo/client';
import { useState } from 'react';
import { Button } from 'react-aria-components';
import { wordsOf } from '../api/words.ts';
import { Dialog } from '../ui/dialog.tsx';
import { Icon } from '../ui/icon.tsx';
import { count, Line } from '../ui/text.tsx';
import { Arguments } from './arguments.tsx';
import { decideMany, togetherMax, wordsOfOutcomes } from './decide-many.ts';
import { choicesOf, headlineOf } from './words.ts';

type Action = 'approve' | 'reject';

/** What can be done with the approvals that somebody has selected. Each call is shown whole before it is decided. */
export function Batch(given: {
  readonly selected: readonly Approval[];
  readonly onDone: () => void;
  readonly onSelectAll: () => void;
}) {
  const { selected, onDone, onSelectAll } = given;
  const [asked, setAsked] = useState<Action>();
  const [said, setSaid] = useState<readonly string[]>([]);
  const offers = (action: Action) =>
    selected.length > 0 &&
    selected.length <= togetherMax &&
    selected.every((one) => choicesOf(one).some((choice) => choice.action === action));
  return (
    <section className="batch" aria-label="Selected approvals">
      <p role="status">
        {`${selected.length.toLocaleString('en')} selected`}
        {selected.length > togetherMax ? `; at most ${togetherMax} are decided at once` : ''}
      </p>
      <div className="buttons">
        <Button className="link-button" onPress={onSelectAll}>
          Select all shown
        </Button>
        <Button className="button go" isDisabled={!offers('approve')} onPress={() => setAsked('approve')}>
          Approve…
        </Button>
        <Button className="button stop" isDisabled={!offers('reject')} onPress={() => setAsked('reject')}>
          Reject…
        </Button>
        <Button className="button quiet" onPress={onDone}>
          Done
        </Button>
      </div>
      <div role="status" className="batch-said">
        {said.map((one) => (
          <p key={one}>
            <Line text={one} />
          </p>
        ))}
      </div>
      {asked === undefined ? null : (
        <Together action={asked} approvals={selected} onClose={() => setAsked(undefined)} onDecided={setSaid} />
      )}
    </section>
  );
}

function Together(given: {
  readonly action: Action;
  readonly approvals: readonly Approval[];
  readonly onClose: () => void;
  readonly onDecided: (said: readonly string[]) => void;
}) {
  const { action, approvals, onClose, onDecided } = given;
  const [reason, setReason] = useState('');
  const [isSending, setSending] = useState(false);
  const [problem, setProblem] = useState('');
  // As they were when the dialog opened: what is confirmed is what was read.
  const [shown] = useState(approvals);
  const verb = action === 'approve' ? 'Approve' : 'Reject';
  const carryOut = async (): Promise<void> => {
    setSending(true);
    setProblem('');
    try {
      const outcomes = await decideMany(shown, action, reason);
      onDecided(wordsOfOutcomes(outcomes, action));
      onClose();
    } catch (error) {
      setProblem(wordsOf(error));
      setSending(false);
    }
  };
  return (
    <Dialog title={`${verb} ${count(shown.length, 'call')}?`} isOpen isWide onClose={onClose}>
      <p>
        {action === 'approve'
          ? 'Each call is made exactly as it stands here.'
          : 'None of these calls is made. The agents are told, and go on.'}
      </p>
      <ol className="batch-calls">
        {shown.map((one) => (
          <li key={one.uuid}>
            <p className="row-title">
              <Line text={headlineOf(one)} />
              {one.server === undefined || one.server === '' ? null : (
                <span className="kind">
                  {' '}
                  on <Line text={one.server} />
                </span>
              )}
            </p>
            <Arguments value={one.tool_args} />
          </li>
        ))}
      </ol>
      <label className="field">
        {action === 'reject' ? 'Why? The agents are told (you may leave it empty)' : 'Why? (you may leave it empty)'}
        <textarea rows={2} value={reason} onChange={(event) => setReason(event.target.value)} />
      </label>
      <p role="alert" className="problem">
        {problem}
      </p>
      <div className="buttons">
        <Button
          className={`button ${action === 'approve' ? 'go' : 'stop'}`}
          isDisabled={isSending}
          onPress={() => void carryOut()}
        >
          <Icon name={action === 'approve' ? 'check' : 'cross'} />
          {isSending ? 'Sending…' : `Yes, ${verb.toLowerCase()} ${shown.length === 1 ? 'it' : `all ${shown.length}`}`}
        </Button>
        <Button className="button quiet" onPress={onClose}>
          Not yet
        </Button>
      </div>
    </Dialog>
  );
}
