import { useEffect, useRef } from 'react';
import { Button } from 'react-aria-components';
import { InboxKinds } from '../approvals/inbox-kinds.tsx';
import { go } from '../state/place.ts';
import { questionsWaiting, useQuestion, useQuestions } from '../state/questions.ts';
import { useStore } from '../state/store.ts';
import { Icon } from '../ui/icon.tsx';
import { Link } from '../ui/link.tsx';
import { useShortcuts } from '../ui/shortcuts.ts';
import { Line } from '../ui/text.tsx';
import { Time } from '../ui/time.tsx';
import type { Question, QuestionMode } from './question.ts';
import { QuestionCard } from './question-card.tsx';
import { headlineOf, modeWord, summaryOf } from './words.ts';

const address = ({ conversation, id }: Question, query: string): string => `/questions/${conversation}/${id}${query}`;

type Kind = QuestionMode | 'all';
const kinds: readonly (readonly [Kind, string])[] = [
  ['all', 'All'],
  ['form', 'To answer'],
  ['url', 'To open'],
  ['file', 'To give a file'],
];

/** All that tool servers and agents ask people, across conversations: the list, and the one that somebody looks at. */
export function QuestionsPage(given: {
  readonly conversation: string | undefined;
  readonly question: string | undefined;
  /** What the list is narrowed to, as the address says it. */
  readonly query: string;
}) {
  const { conversation, question: chosen, query } = given;
  const wanted = new URLSearchParams(query).get('kind');
  const kind = kinds.find(([one]) => one === wanted)?.[0] ?? 'all';
  const listed = useQuestions();
  const waiting = useStore(questionsWaiting);
  const questions = listed.questions.filter(({ mode }) => kind === 'all' || mode === kind);
  const { asked, problem } = useQuestion(conversation, chosen);
  const move = (step: 1 | -1) => () => {
    const at = questions.findIndex(({ id }) => id === chosen);
    const next = questions[at === -1 ? (step === 1 ? 0 : questions.length - 1) : at + step];
    if (next !== undefined) go(address(next, query), chosen !== undefined);
  };
  useShortcuts({ j: move(1), k: move(-1), Escape: chosen === undefined ? undefined : () => go(`/questions${query}`) });
  return (
    <div className={chosen === undefined ? 'approvals' : 'approvals has-chosen'}>
      <section className="inbox" aria-labelledby="inbox-title">
        <header className="page-head">
          <Link to="/" className="icon-button back" label="Back to conversations">
            <Icon name="back" />
          </Link>
          <h1 id="inbox-title">Questions</h1>
          {waiting === undefined ? null : (
            <p className="head-note" role="status">
              {waiting === 0 ? 'Nothing waits' : `${waiting.toLocaleString('en')} waiting`}
            </p>
          )}
        </header>
        <InboxKinds current="questions" />
        <Kinds kind={kind} onChange={(next) => go(next === 'all' ? '/questions' : `/questions?kind=${next}`)} />
        <Rows questions={questions} chosen={chosen} query={query} />
        <p role="status" className="list-note">
          {listed.problem ?? (listed.isLoading || questions.length > 0 ? '' : emptyWords(kind))}
        </p>
        {listed.hasMore ? (
          <Button className="link-button" onPress={listed.more}>
            Show more
          </Button>
        ) : null}
      </section>
      <section className="chosen" aria-label="The question">
        {chosen === undefined ? (
          <div className="chosen-empty">
            <Icon name="help" />
            <p>Choose a question, or press j.</p>
          </div>
        ) : (
          <>
            {/* Where the list is beside it, that one has the heading of the page. */}
            <h1 className="visually-hidden heading-alone">Question</h1>
            <Link to={`/questions${query}`} className="button quiet back-to-list">
              <Icon name="back" /> All questions
            </Link>
            {asked === undefined ? (
              <p role="status" className="list-note">
                {problem === undefined ? '' : `${problem} `}
                {problem === undefined ? null : (
                  <Link to={`/c/${conversation}`}>The conversation says what became of it</Link>
                )}
              </p>
            ) : (
              <QuestionCard key={asked.question.id} asked={asked} />
            )}
          </>
        )}
      </section>
    </div>
  );
}

const emptyWords = (kind: Kind): string =>
  kind === 'all' ? 'Nobody asks anything. New questions appear here by themselves.' : 'Nothing of this kind.';

function Kinds({ kind, onChange }: { readonly kind: Kind; readonly onChange: (kind: Kind) => void }) {
  return (
    <div className="filters">
      <fieldset className="filter-line">
        <legend className="visually-hidden">Which questions</legend>
        {kinds.map(([value, label]) => (
          <label key={value} className="check">
            <input type="radio" name="kind" checked={kind === value} onChange={() => onChange(value)} />
            {label}
          </label>
        ))}
      </fieldset>
    </div>
  );
}

function Rows(given: {
  readonly questions: readonly Question[];
  readonly chosen: string | undefined;
  readonly query: string;
}) {
  const { questions, chosen, query } = given;
  const list = useRef<HTMLUListElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the row is looked for when another one is chosen
  useEffect(() => {
    list.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest' });
  }, [chosen]);
  return (
    <ul ref={list} className="rows">
      {questions.map((one) => (
        <li key={one.id}>
          <Link to={address(one, query)} isCurrent={one.id === chosen} className="approval-row pending">
            <span className="row-title">
              <Line text={headlineOf(one)} />
            </span>
            <span className="row-tool asked">
              <Line text={summaryOf(one)} />
            </span>
            <span className="row-meta">
              <span className="dot wait">{modeWord(one)}</span>
              <Time at={one.requestedAt} />
            </span>
          </Link>
        </li>
      ))}
    </ul>
  );
}
