import { useState } from 'react';
import { Arguments } from '../approvals/arguments.tsx';
import { Icon } from '../ui/icon.tsx';
import { Link } from '../ui/link.tsx';
import { Block, Line, Marked } from '../ui/text.tsx';
import { Time, TimeLeft } from '../ui/time.tsx';
import { AnswerForm } from './answer-form.tsx';
import { useDraft } from './draft.ts';
import type { Asked, Outcome, Question } from './question.ts';
import { headlineOf, outcomeWords } from './words.ts';

/** What people are asked, the way to answer it, and what became of it. Who answers and what with stays on the page, in every tab. */
export function QuestionCard({ asked, isInChat = false }: { readonly asked: Asked; readonly isInChat?: boolean }) {
  const { question } = asked;
  // Before the record was read: whoever was second is told by the answer to their own request.
  const [told, setTold] = useState<Outcome>();
  const [isSent, setSent] = useState(false);
  const outcome = asked.outcome ?? told;
  const draft = useDraft(question.id, outcome === undefined && !isSent);
  const title = `question-${question.id}`;
  return (
    <article
      className={`card question ${outcome === undefined ? '' : `settled ${outcome.how}`}`}
      aria-labelledby={title}
    >
      <header className="card-head">
        <p className="card-kicker">{outcome === undefined && !isSent ? 'Waits for your answer' : null}</p>
        <h2 id={title}>
          <Marked text={headlineOf(question)} />
        </h2>
        {question.by === 'agent' ? null : (
          <p className="card-what">
            in the midst of{' '}
            <code>
              <Marked text={question.tool} />
            </code>
          </p>
        )}
      </header>
      <blockquote className="question-message">
        <Block text={question.message} />
      </blockquote>
      {outcome === undefined && !isSent ? (
        <AnswerForm
          question={question}
          draft={draft}
          onSent={(settled) => {
            if (settled === undefined) setSent(true);
            else setTold(settled);
          }}
        />
      ) : null}
      <div role="status" className="card-outcome">
        {outcome === undefined ? (
          isSent ? (
            <p>
              <Icon name="check" /> Your answer was taken.
            </p>
          ) : null
        ) : (
          <Settled outcome={outcome} isUnsent={draft.isTouched && !isSent} mode={question.mode} />
        )}
      </div>
      <Facts question={question} isOpen={outcome === undefined} isInChat={isInChat} />
    </article>
  );
}

function Settled(given: { readonly outcome: Outcome; readonly isUnsent: boolean; readonly mode: Question['mode'] }) {
  const { outcome, isUnsent, mode } = given;
  return (
    <>
      <p>
        <Icon name={outcome.how === 'accept' ? 'check' : 'cross'} /> <Block text={outcomeWords(outcome)} />.
      </p>
      {outcome.content === undefined ? null : <Arguments value={outcome.content} />}
      {outcome.how === 'accept' && mode === 'url' ? (
        <p className="card-note">They say that they have done it.</p>
      ) : null}
      {isUnsent ? <p className="card-note">What you had written here was not sent.</p> : null}
    </>
  );
}

function Facts(given: { readonly question: Question; readonly isOpen: boolean; readonly isInChat: boolean }) {
  const { question, isOpen, isInChat } = given;
  const { node, expiresAt, requestedAt, conversation } = question;
  return (
    <dl className="facts">
      {node === '' ? null : (
        <div>
          <dt>Step</dt>
          <dd>
            <Line text={node} />
          </dd>
        </div>
      )}
      {expiresAt === undefined || !isOpen ? null : (
        <div>
          <dt>Time</dt>
          <dd>
            <TimeLeft until={expiresAt} />; after that it goes on without an answer
          </dd>
        </div>
      )}
      <div>
        <dt>Asked</dt>
        <dd>
          <Time at={requestedAt} />
        </dd>
      </div>
      {isInChat ? null : (
        <div>
          <dt>Conversation</dt>
          <dd>
            <Link to={`/c/${conversation}`}>Show what led to it</Link>
          </dd>
        </div>
      )}
    </dl>
  );
}
