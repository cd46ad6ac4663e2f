import type { Conversation } from '@stopgo/client';
import type { ReactNode } from 'react';
import { headlineOf } from '../approvals/words.ts';
import { Icon } from '../ui/icon.tsx';
import { Link } from '../ui/link.tsx';
import { Block, count, Line } from '../ui/text.tsx';
import { clockTime, Time } from '../ui/time.tsx';
import type { Run, RunOutline } from './run-node.ts';
import { costWords, numberWords } from './spent.ts';
import { StateMark } from './state-mark.tsx';
import { runLine, runSaid, tookWords } from './words.ts';

/** A run in a few figures, and which of the conversation's runs it is. */
export function Summary(given: {
  readonly runs: readonly RunOutline[];
  readonly run: Run | undefined;
  readonly isPast: boolean;
  /** The conversation as it stands, if this is what it works on now. */
  readonly head: Conversation | undefined;
  readonly isConnected: boolean;
  readonly onChoose: (run: string | undefined) => void;
}) {
  const { runs, run, isPast, head, isConnected, onChoose } = given;
  return (
    <section className="run-summary" aria-label="The run">
      {runs.length > 1 ? (
        <label className="run-choice">
          <span className="visually-hidden">Which run</span>
          <select
            value={run?.id ?? ''}
            onChange={({ target }) => onChoose(target.value === runs.at(-1)?.id ? undefined : target.value)}
          >
            {run === undefined ? <option value="">No run by then</option> : null}
            {[...runs].reverse().map((one) => (
              <option key={one.id} value={one.id}>
                {runLine(one)}
              </option>
            ))}
          </select>
        </label>
      ) : null}
      {run === undefined ? null : <Figures run={run} isPast={isPast} />}
      {head === undefined || !isConnected ? null : <Waits head={head} />}
    </section>
  );
}

/** What the run waits for now, and where something can be done about it. */
function Waits({ head }: { readonly head: Conversation }) {
  const others = (head.waiting_for ?? []).filter(({ kind }) => kind !== 'approval');
  if (head.pending_approvals.length + others.length === 0) return null;
  return (
    <ul className="run-asks">
      {head.pending_approvals.map((one) => (
        <li key={one.uuid}>
          <Icon name="inbox" /> <Line text={headlineOf(one)} /> <Link to={`/approvals/${one.uuid}`}>Decide</Link>
        </li>
      ))}
      {others.map(({ kind, text, since }) => (
        <li key={`${kind}${since}${text}`}>
          <Icon name="clock" /> <Block text={localTimes(text)} />
          {kind === 'input' || kind === 'auth' ? <Link to={`/c/${head.id}`}>Answer</Link> : null}
        </li>
      ))}
    </ul>
  );
}

/** Times as the clock of whoever reads shows them. */
const localTimes = (text: string): string => text.replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, clockTime);

function Figures({ run, isPast }: { readonly run: Run; readonly isPast: boolean }) {
  const { state, startedAt, endedAt, spent, nodes, message } = run;
  const root = nodes[0];
  const agents = nodes.filter(({ kind }) => kind === 'agent').length;
  const calls = nodes.filter(({ kind }) => kind === 'tool' || kind === 'remote').length;
  const isOpen = endedAt === undefined;
  const cost = costWords(spent);
  return (
    <>
      <p className="run-message">
        <Block text={message.length > 280 ? `${message.slice(0, 279).replace(/[\ud800-\udbff]$/, '')}…` : message} />
      </p>
      <dl className="figures">
        <Figure name={isPast ? 'State then' : 'State'}>
          <span role="status">
            <StateMark of={runSaid(state)} />
          </span>
        </Figure>
        <Figure name="Began">
          <Time at={startedAt === undefined ? null : new Date(startedAt).toISOString()} />
        </Figure>
        <Figure name={isOpen ? 'Took so far' : 'Took'}>{tookWords(root?.tookMs ?? 0)}</Figure>
        <Figure name="Tokens in">{numberWords(spent.inputTokens)}</Figure>
        <Figure name="Tokens out">{numberWords(spent.outputTokens)}</Figure>
        <Figure name="Cost">
          {cost === '' ? '–' : cost}
          {spent.costNanoUsd !== undefined && spent.unpriced > 0 ? (
            <span className="figure-note">{count(spent.unpriced, 'answer')} without a known price</span>
          ) : null}
        </Figure>
        <Figure name="Work">
          {count(agents, 'agent')}, {count(calls, 'call')}
        </Figure>
      </dl>
    </>
  );
}

const Figure = ({ name, children }: { readonly name: string; readonly children: ReactNode }) => (
  <div>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </div>
);
