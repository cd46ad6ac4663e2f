import type { Approval } from '@stopgo/client';
import { type FormEvent, useState } from 'react';
import { Button } from 'react-aria-components';
import { claimedName, isSignedIn } from '../api/signed-in.ts';
import { askOnce } from '../api/tries.ts';
import { wordsOf } from '../api/words.ts';
import { hear } from '../state/live.ts';
import { Line } from '../ui/text.tsx';

/** Who is to look at it. It is a hint to the others: whoever may decide it still may. */
export function Assigned({ approval }: { readonly approval: Approval }) {
  const { assignee, uuid, status } = approval;
  const [isNaming, setNaming] = useState(false);
  const [name, setName] = useState('');
  const [isSending, setSending] = useState(false);
  const [problem, setProblem] = useState('');
  const me = isSignedIn() ? 'me' : claimedName();
  const send = async (to: string | undefined): Promise<void> => {
    setSending(true);
    setProblem('');
    try {
      const by = claimedName() === '' ? {} : { by: claimedName() };
      const path = `/approvals/${uuid}/${to === undefined ? 'unassign' : 'assign'}`;
      const body = JSON.stringify(to === undefined ? by : { to, ...by });
      const answer = await askOnce<{ approval: Approval }>(`assign.${uuid}`, path, body);
      hear([answer.approval]);
      setNaming(false);
    } catch (error) {
      setProblem(wordsOf(error));
    } finally {
      setSending(false);
    }
  };
  const give = (event: FormEvent): void => {
    event.preventDefault();
    if (name.trim() !== '') void send(name.trim());
  };
  const canChange = status === 'pending';
  return (
    <>
      {assignee === undefined ? (
        'nobody'
      ) : (
        <>
          <Line text={assignee.name} />
          {assignee.claimed ? ' (unverified name)' : ''}
        </>
      )}
      {canChange && !isNaming ? (
        <span className="assign-ways">
          {assignee === undefined && me !== '' ? (
            <Button className="link-button" isDisabled={isSending} onPress={() => void send(me)}>
              Take it
            </Button>
          ) : null}
          <Button className="link-button" isDisabled={isSending} onPress={() => setNaming(true)}>
            Give it to…
          </Button>
          {assignee === undefined ? null : (
            <Button className="link-button" isDisabled={isSending} onPress={() => void send(undefined)}>
              Give it back
            </Button>
          )}
        </span>
      ) : null}
      {canChange && isNaming ? (
        <form className="assign-form" onSubmit={give}>
          <label className="filter-field">
            <span className="visually-hidden">Who is to look at it: an e-mail address or a name</span>
            <input
              // biome-ignore lint/a11y/noAutofocus: it was opened to be typed into
              autoFocus
              placeholder="E-mail address or name"
              value={name}
              maxLength={128}
              onChange={(event) => setName(event.target.value)}
              onKeyDown={(event) => {
                if (event.key !== 'Escape') return;
                event.preventDefault();
                setNaming(false);
              }}
            />
          </label>
          <Button type="submit" className="link-button" isDisabled={isSending}>
            Assign
          </Button>
        </form>
      ) : null}
      <span role="alert" className="problem">
        {problem}
      </span>
    </>
  );
}
