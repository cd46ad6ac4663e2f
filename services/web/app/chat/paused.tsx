import { useState } from 'react';
import { Button } from 'react-aria-components';
import { askOnce } from '../api/tries.ts';
import { wordsOf } from '../api/words.ts';
import { useAnswer } from '../state/answer.ts';
import { listChanged } from '../state/conversations.ts';
import { Icon } from '../ui/icon.tsx';
import { Block, Marked } from '../ui/text.tsx';
import { Time } from '../ui/time.tsx';
import { LimitForm } from './limit-form.tsx';
import { namesOf, type Reached, usedUp } from './new-limits.ts';
import type { Pause } from './transcript.ts';

/** What the platform tells of a conversation whose run is paused. */
type PausedRun = {
  readonly conversation: {
    readonly run?: { readonly paused?: { readonly agent?: string; readonly reached?: Reached } };
  };
};

/** What a paused run is paused for, and the way on. */
export function Paused(given: { readonly conversation: string; readonly paused: Pause }) {
  const { conversation, paused } = given;
  const { by, reason, at, isLimit } = paused;
  const [isSending, setSending] = useState(false);
  const [problem, setProblem] = useState('');
  const [wantsLimits, setWantsLimits] = useState(false);
  const { value } = useAnswer<PausedRun>(isLimit ? `/conversations/${conversation}` : undefined);
  const { agent = '', reached = {} } = value?.conversation.run?.paused ?? {};
  const names = namesOf(reached);
  const resume = async (limits?: object): Promise<void> => {
    setSending(true);
    setProblem('');
    try {
      const body = JSON.stringify({ limits });
      const sent = { prefer: 'respond-async, return=minimal', content: `${at} ${body}` };
      await askOnce(`resume.${conversation}`, `/runs/${conversation}/resume`, body, sent);
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
      {names.length === 0 ? null : (
        <ul className="used-up" aria-label={`What ${agent} has used`}>
          {names.map((name) => {
            const use = reached[name];
            return use === undefined ? null : <li key={name}>{usedUp(name, use)}</li>;
          })}
        </ul>
      )}
      {wantsLimits ? null : (
        <>
          <p className="card-note">
            {isLimit
              ? 'Nothing new begins until somebody lets it go on: with as much again, or with a limit that you name.'
              : 'Nothing new begins until somebody lets it go on. Decisions and answers are taken meanwhile.'}
          </p>
          <div className="buttons">
            <Button className="button go" isDisabled={isSending} onPress={() => void resume()}>
              <Icon name="send" /> {isSending ? 'Sending…' : isLimit ? 'Resume with as much again' : 'Resume'}
            </Button>
            {names.length === 0 ? null : (
              <Button className="button" isDisabled={isSending} onPress={() => setWantsLimits(true)}>
                Name a limit…
              </Button>
            )}
          </div>
        </>
      )}
      {wantsLimits ? (
        <LimitForm
          reached={reached}
          isSending={isSending}
          onLimits={(limits) => void resume(limits)}
          onCancel={() => setWantsLimits(false)}
        />
      ) : null}
      <p role="alert" className="problem">
        {problem}
      </p>
    </section>
  );
}
