import { useState } from 'react';
import { Button } from 'react-aria-components';
import { askOnce } from '../api/tries.ts';
import { wordsOf } from '../api/words.ts';
import { listChanged } from '../state/conversations.ts';
import { Icon } from '../ui/icon.tsx';
import { Block, Marked } from '../ui/text.tsx';
import { Time } from '../ui/time.tsx';
import type { Pause } from './transcript.ts';

/** What a paused run is paused for, and the way on. */
export function Paused(given: { readonly conversation: string; readonly paused: Pause }) {
  const { conversation, paused } = given;
  const { by, reason, at, isLimit } = paused;
  const [isSending, setSending] = useState(false);
  const [problem, setProblem] = useState('');
  const resume = async (): Promise<void> => {
    setSending(true);
    setProblem('');
    try {
      const sent = { prefer: 'respond-async, return=minimal', content: `${at}` };
      await askOnce(`resume.${conversation}`, `/runs/${conversation}/resume`, '{}', sent);
      listChanged();
    } catch (error) {
      setProblem(wordsOf(error));
      setSending(false);
    }
  };
  return (
    <section className="card paused" aria-labelledby="paused-title">
      <header className="card-head">
        <p className="card-kicker">Paused</p>
        <h2 id="paused-title">{isLimit ? 'An agent has used what it may' : 'The run is paused'}</h2>
        <p className="card-what">
          {isLimit ? 'The platform has paused it' : <Marked text={`${by} has paused it`} />} <Time at={at} />
        </p>
      </header>
      {reason === '' ? null : (
        <blockquote className="question-message">
          <Block text={reason} />
        </blockquote>
      )}
      <p className="card-note">
        {isLimit
          ? 'Nothing new begins until somebody lets it go on. The agent may then use as much again.'
          : 'Nothing new begins until somebody lets it go on. Decisions and answers are taken meanwhile.'}
      </p>
      <div className="buttons">
        <Button className="button go" isDisabled={isSending} onPress={() => void resume()}>
          <Icon name="send" /> {isSending ? 'Sending…' : 'Resume'}
        </Button>
      </div>
      <p role="alert" className="problem">
        {problem}
      </p>
    </section>
  );
}
