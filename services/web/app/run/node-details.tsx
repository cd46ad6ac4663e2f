import { type ExactValue, parseExact } from '@stopgo/client';
import { type ReactNode, useRef, useState } from 'react';
import { Arguments } from '../approvals/arguments.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Icon } from '../ui/icon.tsx';
import { Link } from '../ui/link.tsx';
import { Block, count, Exact, Line, Marked } from '../ui/text.tsx';
import { clockTime } from '../ui/time.tsx';
import type { Answer, RunNode } from './run-node.ts';
import { costWords, numberWords, type Spent } from './spent.ts';
import { StateMark } from './state-mark.tsx';
import { useWidth } from './use-width.ts';
import { approvalWords, kindIcon, kindWords, stateSaid, tookWords, waitWords } from './words.ts';

/** So wide, in pixels, there is room for the details beside what they are of; elsewhere they open above it. */
const roomForBoth = 860;

/** Shows `children`, and the details of what is opened there. */
export function DetailsBeside(given: {
  readonly conversation: string;
  readonly nodes: readonly RunNode[];
  readonly chosen: string | undefined;
  readonly onChoose: (id: string | undefined) => void;
  /** What is shown needs all the width that there is. */
  readonly isBroad?: boolean;
  /** Is given what opens the details of a node; with a key the keyboard goes there. */
  readonly children: (open: (id: string, byKey: boolean) => void) => ReactNode;
}) {
  const { conversation, nodes, chosen, onChoose, isBroad = false, children } = given;
  const [box, width] = useWidth<HTMLDivElement>();
  const [isAbove, setAbove] = useState(false);
  const beside = useRef<HTMLElement>(null);
  const opener = useRef<Element>(null);
  const isWide = !isBroad && width >= roomForBoth;
  const node = nodes.find(({ id }) => id === chosen) ?? (isWide ? nodes[0] : undefined);
  const open = (id: string, byKey: boolean) => {
    onChoose(id);
    setAbove(!isWide);
    if (!isWide || !byKey) return;
    opener.current = document.activeElement;
    beside.current?.focus();
  };
  const back = (event: React.KeyboardEvent) => {
    if (event.key !== 'Escape' || !(opener.current instanceof SVGElement || opener.current instanceof HTMLElement))
      return;
    opener.current.focus();
    event.stopPropagation();
  };
  return (
    <div ref={box} className={isWide ? 'beside is-wide' : 'beside'}>
      {width === 0 ? null : children(open)}
      {isWide && node !== undefined ? (
        <section ref={beside} className="details" tabIndex={-1} aria-label="Details" onKeyDown={back}>
          <h2>
            <Icon name={kindIcon(node.kind)} /> <Line text={node.name} />
          </h2>
          <NodeDetails key={node.id} conversation={conversation} node={node} />
        </section>
      ) : null}
      <Dialog
        title="Details"
        isOpen={!isWide && isAbove && node !== undefined}
        onClose={() => {
          setAbove(false);
          onChoose(undefined);
        }}
      >
        {node === undefined ? null : (
          <div className="details">
            <h3>
              <Icon name={kindIcon(node.kind)} /> <Line text={node.name} />
            </h3>
            <NodeDetails conversation={conversation} node={node} />
          </div>
        )}
      </Dialog>
    </div>
  );
}

/** All that the record tells of one agent, step or call. */
function NodeDetails({ conversation, node }: { readonly conversation: string; readonly node: RunNode }) {
  const { asked, args, gave, approvals, answers, notes, waits } = node;
  return (
    <>
      <p className="details-state">
        <StateMark of={stateSaid(node.state)} />
      </p>
      {waits.map((wait) => (
        <p key={wait.id} className="details-wait">
          It {waitWords(wait)}.{' '}
          {wait.kind === 'approval' || wait.kind === 'doubt' ? (
            <Link to={`/approvals/${wait.id}`}>Show the approval</Link>
          ) : (
            <Link to={`/c/${conversation}`}>Show the conversation</Link>
          )}
        </p>
      ))}
      {notes.length === 0 ? null : (
        <ul className="details-notes">
          {notes.map((note, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: notes are only ever added
            <li key={index}>
              <Block text={note} />
            </li>
          ))}
        </ul>
      )}
      <Facts node={node} />
      {asked === undefined && args === undefined ? null : (
        <Part title={args === undefined || asked !== undefined ? 'What it was asked' : 'What it was given'}>
          {asked === undefined ? (
            <Arguments value={argumentsIn(args ?? '')} />
          ) : (
            <div className="result">
              <Exact text={asked} label="the task" />
            </div>
          )}
        </Part>
      )}
      {gave === undefined ? null : (
        <Part title={node.kind === 'tool' || node.kind === 'remote' ? 'What came back' : 'What it gave'}>
          <div className="result">{gave === '' ? <em>nothing</em> : <Exact text={gave} label="the result" />}</div>
        </Part>
      )}
      {approvals.length === 0 ? null : (
        <Part title="Approvals">
          <ul className="details-list">
            {approvals.map((one) => (
              <li key={one.id}>
                <Block text={approvalWords(one)} />{' '}
                {one.isByRule ? null : <Link to={`/approvals/${one.id}`}>Show the approval</Link>}
              </li>
            ))}
          </ul>
        </Part>
      )}
      {answers.length === 0 ? null : (
        <Part title="Answers of its model">
          <ol className="details-list">
            {answers.map((answer) => (
              <li key={answer.turn}>
                <AnswerLine answer={answer} />
              </li>
            ))}
          </ol>
        </Part>
      )}
    </>
  );
}

const Part = ({ title, children }: { readonly title: string; readonly children: ReactNode }) => (
  <div className="details-part">
    <p className="call-part">{title}</p>
    {children}
  </div>
);

const AnswerLine = ({ answer: { turn, model, calls, spent } }: { readonly answer: Answer }) => (
  <>
    {turn}. <Line text={model} />: {spentLine(spent)}
    {calls === 0 ? '' : `, asks for ${count(calls, 'call')}`}
  </>
);

function spentLine(spent: Spent): string {
  const cost = spent.costNanoUsd === undefined ? '' : `, ${costWords(spent)}`;
  return `${numberWords(spent.inputTokens)} tokens in, ${numberWords(spent.outputTokens)} out${cost}`;
}

const timeOf = (ms: number): string => clockTime(new Date(ms).toISOString());

function Facts({ node }: { readonly node: RunNode }) {
  const { startedAt, endedAt, tookMs, waitedMs, attempts, own, spent, answers, reason, completion, source } = node;
  const models = [...new Set(answers.map(({ model }) => model))];
  const hasOwn = own.inputTokens + own.outputTokens > 0;
  const hasBelow = spent.inputTokens + spent.outputTokens > own.inputTokens + own.outputTokens;
  return (
    <dl className="facts">
      <Fact name="What it is">
        <Line text={kindWords(node)} />
      </Fact>
      {models.length === 0 ? null : (
        <Fact name={models.length === 1 ? 'Model' : 'Models'}>
          <Line text={models.join(', ')} />
        </Fact>
      )}
      {startedAt === undefined ? null : (
        <Fact name="Began">
          {timeOf(startedAt)}
          {endedAt === undefined ? '' : `, ended ${timeOf(endedAt)}`}
        </Fact>
      )}
      {tookMs === undefined ? null : (
        <Fact name={endedAt === undefined ? 'Took so far' : 'Took'}>{tookWords(tookMs)}</Fact>
      )}
      {waitedMs > 0 ? <Fact name="Waited for people">{tookWords(waitedMs)}</Fact> : null}
      {attempts > 0 ? <Fact name="Attempts">{attempts}</Fact> : null}
      {hasOwn ? <Fact name="Used itself">{spentLine(own)}</Fact> : null}
      {hasBelow ? <Fact name="With all below it">{spentLine(spent)}</Fact> : null}
      {spent.unpriced > 0 ? <Fact name="Cost">{count(spent.unpriced, 'answer')} without a known price</Fact> : null}
      {reason === '' ? null : (
        <Fact name="Judged so">
          <Line text={reason} />
        </Fact>
      )}
      {completion === undefined ? null : (
        <Fact name="Says of its task">
          <Line text={completion} />
        </Fact>
      )}
      {source === undefined ? null : (
        <Fact name="Comes from">
          <Marked text={`${source.path} in ${source.repository}`} />, commit <code>{source.commit.slice(0, 12)}</code>
        </Fact>
      )}
    </dl>
  );
}

const Fact = ({ name, children }: { readonly name: string; readonly children: ReactNode }) => (
  <div>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </div>
);

/** The arguments of a call; what is no JSON stands as it is. */
function argumentsIn(json: string): ExactValue {
  try {
    return parseExact(json === '' ? '{}' : json) as ExactValue;
  } catch {
    return json;
  }
}
