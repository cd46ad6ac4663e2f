import { type AnswerOf, newKey } from '@stopgo/client';
import { useEffect, useState } from 'react';
import { askOnce, openTry, tryIsOver, tryOf } from '../api/tries.ts';
import { wordsOf } from '../api/words.ts';
import { ApprovalCard } from '../approvals/approval-card.tsx';
import { useConversation } from '../state/conversation.ts';
import { listChanged } from '../state/conversations.ts';
import { heard } from '../state/live.ts';
import { useStore } from '../state/store.ts';
import { Icon } from '../ui/icon.tsx';
import { Link } from '../ui/link.tsx';
import { Line } from '../ui/text.tsx';
import { Composer } from './composer.tsx';
import { Log } from './log.tsx';
import { Paused } from './paused.tsx';
import { RanVersion } from './ran-version.tsx';
import type { Transcript } from './transcript.ts';
import { Waiting } from './waiting.tsx';

/** A message that is on its way: it is shown until the conversation itself shows it. */
type Sending = { readonly text: string; readonly after: number; readonly problem?: string };

const messageOf = (conversation: string): string => `message.${conversation}`;

/** A message of which nobody knows yet whether it was taken, from before a reload. */
function sentBefore(conversation: string): Sending | undefined {
  const one = openTry(messageOf(conversation));
  return one === undefined
    ? undefined
    : {
        text: one.content,
        after: one.after,
        problem: 'It is not known whether this was taken. Sending it again is safe.',
      };
}

export function ConversationPage({ id }: { readonly id: string }) {
  const watched = useConversation(id);
  const { transcript, head, problem, stream } = watched;
  const [sending, setSending] = useState(() => sentBefore(id));
  const [said, setSaid] = useState<string>();
  const known = useStore(heard);
  const pending = (head?.pending_approvals ?? []).map((one) => known.get(one.uuid) ?? one);
  const isOpen = transcript.isRunOpen;

  // What arrived is not on its way any more.
  const arrived = sending !== undefined && hasArrived(sending, transcript.items);
  useEffect(() => {
    if (!arrived) return;
    tryIsOver(messageOf(id));
    setSending(undefined);
  }, [arrived, id]);

  const send = async ({ text, after: written }: Pick<Sending, 'text' | 'after'>): Promise<void> => {
    // The same text again may have been taken since it was first sent.
    const one = { text, after: tryOf(messageOf(id), text, written).after };
    setSending(one);
    setSaid(undefined);
    try {
      const body = JSON.stringify({ message: one.text });
      const sent = { content: one.text, prefer: 'respond-async, return=minimal' };
      const answer = await askOnce<AnswerOf<'POST /conversations/{id}/messages'>>(
        messageOf(id),
        `/conversations/${id}/messages`,
        body,
        sent,
      );
      listChanged();
      if ('result' in answer && answer.result?.notice !== undefined) {
        setSending({
          ...one,
          problem: 'It was not taken: the run waits for people. Decide first, then send it again.',
        });
      }
    } catch (error) {
      setSending({ ...one, problem: wordsOf(error) });
    }
  };
  const cancel = async (): Promise<void> => {
    try {
      const sent = { content: head?.run?.id ?? newKey(), prefer: 'return=minimal' };
      await askOnce(`cancel.${id}`, `/conversations/${id}/cancel`, '{}', sent);
      listChanged();
    } catch (error) {
      setSaid(wordsOf(error));
    }
  };

  if (problem !== undefined)
    return (
      <div className="empty-page">
        <h1>This conversation cannot be shown</h1>
        <p>{problem}</p>
        <Link to="/" className="button primary">
          Start a conversation
        </Link>
      </div>
    );
  const title = head?.title ?? '';
  return (
    <div className="conversation">
      <header className="page-head">
        <Link to="/" className="icon-button back" label="Back to the list">
          <Icon name="back" />
        </Link>
        <h1>{title === '' ? 'Conversation' : <Line text={title} />}</h1>
        <RanVersion source={head?.run?.agent_source} />
        <Link to={`/c/${id}/run`} className="button quiet to-run">
          How it ran
        </Link>
      </header>
      <Log transcript={transcript} sending={sending} onRetry={() => sending !== undefined && void send(sending)}>
        {pending.map((approval) => (
          <ApprovalCard key={approval.uuid} approval={approval} isInChat hasKeys={pending.length === 1} />
        ))}
        {transcript.paused === undefined ? null : (
          <Paused key={transcript.paused.at} conversation={id} paused={transcript.paused} />
        )}
        <Waiting transcript={transcript} head={head} isLive={stream === 'open'} />
      </Log>
      <div className="foot">
        <p role="alert" className="problem">
          {said}
        </p>
        <Composer
          draftName={id}
          placeholder={isOpen ? 'Write the next message' : 'Write to the agent'}
          autoFocus={head !== undefined && !isOpen && pending.length === 0}
          isDisabled={isOpen || (sending !== undefined && sending.problem === undefined)}
          hint={transcript.paused === undefined ? hintOf(isOpen, pending.length, questionsIn(transcript)) : pausedHint}
          onSend={(text) => void send({ text, after: transcript.revision })}
          onCancel={isOpen ? () => void cancel() : undefined}
        />
      </div>
    </div>
  );
}

const hasArrived = (
  { text, after }: Sending,
  items: ReturnType<typeof useConversation>['transcript']['items'],
): boolean =>
  items.some(
    (item) => item.kind === 'said' && item.by === 'user' && item.text === text && Number(item.key.slice(1)) > after,
  );

const pausedHint = 'The run is paused. Let it go on, or cancel it, to write the next message.';

const questionsIn = ({ questions }: Transcript): number =>
  [...questions.values()].filter(({ outcome }) => outcome === undefined).length;

function hintOf(isOpen: boolean, approvals: number, questions: number): string | undefined {
  if (!isOpen) return undefined;
  if (approvals > 0) return 'The agent has stopped and waits for a decision. It goes on by itself after that.';
  if (questions > 0) return 'The agent waits for an answer to a question. It goes on by itself after that.';
  return undefined;
}
