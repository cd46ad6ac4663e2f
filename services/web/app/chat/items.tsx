import { createContext, memo, startTransition, useContext, useEffect, useRef, useState } from 'react';
import { QuestionCard } from '../questions/question-card.tsx';
import { Block, Line } from '../ui/text.tsx';
import { Time } from '../ui/time.tsx';
import { AgentLine } from './agent-line.tsx';
import { CallLine } from './call-line.tsx';
import { Markdown, settledBlocks } from './markdown.tsx';
import type { Item, Transcript } from './transcript.ts';

/** What items refer to. */
export type Parts = Pick<Transcript, 'calls' | 'agents' | 'questions' | 'writing'>;

/** What was said and done, one below the other. `speaker`: whose work it is; undefined: that of the main agent. */
export const Items = (given: { readonly items: readonly Item[]; readonly parts: Parts; readonly speaker?: string }) =>
  given.items.map((item) => (
    <li key={item.key} className={`item ${item.kind === 'said' ? item.by : `of-${item.kind}`}`}>
      <Shown item={item} parts={refers(item) ? given.parts : none} speaker={given.speaker} />
    </li>
  ));

/** So many items are laid out together, or not at all. */
const groupItems = 10;
/** How far from the screen a group is made ready for it. */
const nearMargin = '1500px 0px';

/** Whether what is shown is, or was, near the screen. */
const Near = createContext(true);

type GroupGiven = { readonly items: readonly Item[]; readonly parts: Parts };

/**
 * What was said and done, in groups. One that is far from the screen costs next to nothing: it is not laid out, and answers in it are not read
 * as Markdown before it comes near. Its texts are there all the same, to be found and to be read out.
 */
export const Groups = memo(
  ({ items, parts }: GroupGiven) => groupsOf(items).map((one) => <Group key={one[0]?.key} items={one} parts={parts} />),
  // What a called agent writes changes the agent as well.
  (before, after) =>
    before.items === after.items &&
    (['calls', 'agents', 'questions'] as const).every((name) => before.parts[name] === after.parts[name]),
);

function groupsOf(items: readonly Item[]): readonly (readonly Item[])[] {
  const groups = [];
  for (let from = 0; from < items.length; from += groupItems) groups.push(items.slice(from, from + groupItems));
  return groups;
}

const Group = memo(
  ({ items, parts }: GroupGiven) => {
    const list = useRef<HTMLOListElement>(null);
    const [isNear, setNear] = useState(false);
    useEffect(() => {
      if (list.current === null || isNear) return undefined;
      const watch = new IntersectionObserver(
        (seen) => {
          if (seen.some(({ isIntersecting }) => isIntersecting)) startTransition(() => setNear(true));
        },
        { root: list.current.closest('.log'), rootMargin: nearMargin },
      );
      watch.observe(list.current);
      return () => watch.disconnect();
    }, [isNear]);
    return (
      <ol ref={list} className="items group">
        <Near.Provider value={isNear}>
          <Items items={items} parts={parts} />
        </Near.Provider>
      </ol>
    );
  },
  (before, after) =>
    before.items.length === after.items.length &&
    after.items.every((item, index) => {
      const old = before.items[index];
      return old !== undefined && isSame({ ...before, item: old }, { ...after, item });
    }),
);

const none: Parts = { calls: new Map(), agents: new Map(), questions: new Map(), writing: new Map() };
/** Others are drawn once, and hold on to nothing. */
const refers = ({ kind }: Item): boolean => kind === 'calls' || kind === 'question';

/** What models write right now, in one agent. */
export const Writing = ({ writing, home }: { readonly writing: Transcript['writing']; readonly home?: string }) =>
  [...writing]
    .filter(([, one]) => one.home === home)
    .map(([key, { offset, text }]) => (
      <li key={key} className="item agent is-writing">
        {settledBlocks(offset > 0 ? `… ${text}` : text).map((block, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: blocks only come after one another
          <Markdown key={index} text={block} />
        ))}
      </li>
    ));

/** An answer: as its plain text until it comes near the screen. */
const Answer = ({ text }: { readonly text: string }) =>
  useContext(Near) ? (
    <Markdown text={text} />
  ) : (
    <div className="md">
      <Block text={text} />
    </div>
  );

type Given = { readonly item: Item; readonly parts: Parts; readonly speaker?: string | undefined };

const Shown = memo(({ item, parts, speaker }: Given) => {
  if (item.kind === 'note')
    return (
      <p className={`note ${item.tone}`}>
        <Block text={item.text} /> <Time at={item.time} />
      </p>
    );
  if (item.kind === 'question') {
    const asked = parts.questions.get(item.id);
    return asked === undefined ? null : <QuestionCard asked={asked} isInChat />;
  }
  const node =
    item.node === '' ? null : (
      <p className="node">
        <Line text={item.node} />
      </p>
    );
  if (item.kind === 'calls')
    return (
      <>
        {node}
        {item.calls.map((id) => {
          const [call, agent] = [parts.calls.get(id), parts.agents.get(id)];
          if (call === undefined) return null;
          return agent === undefined ? (
            <CallLine key={id} call={call} />
          ) : (
            <AgentLine key={id} agent={agent} call={call} below={parts}>
              <Items items={agent.items} parts={parts} speaker={agent.name} />
              <Writing writing={parts.writing} home={id} />
            </AgentLine>
          );
        })}
      </>
    );
  return (
    <>
      {node}
      <span className="visually-hidden">
        {item.by === 'user' ? 'You: ' : speaker === undefined ? 'The agent: ' : `The agent ${speaker}: `}
      </span>
      {item.by === 'user' ? (
        <div className="bubble">
          <Block text={item.text} />
        </div>
      ) : (
        <Answer text={item.text} />
      )}
    </>
  );
}, isSame);

/** A message never changes; what is shown of calls, of agents and of questions does. */
function isSame(before: Given, after: Given): boolean {
  if (before.item !== after.item) return false;
  const { item } = after;
  const [old, now] = [before.parts, after.parts];
  if (item.kind === 'question') return old.questions.get(item.id) === now.questions.get(item.id);
  return (
    item.kind !== 'calls' ||
    item.calls.every((id) => old.calls.get(id) === now.calls.get(id) && old.agents.get(id) === now.agents.get(id))
  );
}
