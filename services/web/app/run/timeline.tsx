import { type ExactValue, exactText } from '@stopgo/client';
import { memo, useEffect, useRef, useState } from 'react';
import { Button, ToggleButton, ToggleButtonGroup } from 'react-aria-components';
import type { LogEvent } from '../api/payload.ts';
import { Icon } from '../ui/icon.tsx';
import { useShortcuts } from '../ui/shortcuts.ts';
import { Exact, Line } from '../ui/text.tsx';
import { clockTime } from '../ui/time.tsx';
import { type EventKind, type EventLine, eventKinds, lineOf, whoTag, whoWords } from './event-words.ts';
import type { Events } from './record.ts';
import { RecordTools } from './record-tools.tsx';

/** So many lines are shown at first, and more of them each time that somebody asks for more. */
const pageLines = 200;

/** Every event of the record in plain words, the newest first. */
export function Timeline(given: {
  readonly conversation: string;
  readonly events: Events;
  readonly last: number;
  readonly revision: number | undefined;
  readonly onChoose: (revision: number) => void;
  readonly onShow: (revision: number) => void;
}) {
  const { conversation, events, last, revision, onChoose, onShow } = given;
  const [kind, setKind] = useState<EventKind | 'all'>('all');
  const [pages, setPages] = useState(1);
  const list = useRef<HTMLOListElement>(null);
  const at = revision ?? last;
  const chosen = linesOf(events, last, kind);
  const index = chosen.findIndex(({ event }) => event.revision <= at);
  const shown = chosen.slice(0, Math.max(pages * pageLines, index + 1));
  const step = (by: 1 | -1) => () => {
    const next = chosen[index + by];
    if (next !== undefined) onChoose(next.event.revision);
  };
  useShortcuts({ j: step(1), k: step(-1) });
  useEffect(() => {
    if (revision !== undefined) list.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest' });
  }, [revision]);
  const move = (event: React.KeyboardEvent) => {
    const by = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    const rows = [...(list.current?.querySelectorAll<HTMLButtonElement>('button.event-row') ?? [])];
    const next = rows[rows.indexOf(document.activeElement as HTMLButtonElement) + by];
    if (by === 0 || next === undefined) return;
    event.preventDefault();
    next.focus();
  };
  return (
    <div className="timeline">
      <RecordTools conversation={conversation} last={last} />
      <div className="timeline-head">
        <h2>Events</h2>
        <ToggleButtonGroup
          aria-label="Which events"
          className="segments"
          selectionMode="single"
          disallowEmptySelection
          selectedKeys={[kind]}
          onSelectionChange={(keys) => {
            setKind(([...keys][0] as EventKind | undefined) ?? 'all');
            setPages(1);
          }}
        >
          <ToggleButton id="all" className="segment">
            All
          </ToggleButton>
          {eventKinds.map(([value, label]) => (
            <ToggleButton key={value} id={value} className="segment">
              {label}
            </ToggleButton>
          ))}
        </ToggleButtonGroup>
      </div>
      <p className="timeline-note">
        The newest first. Choose one to look back at that moment; <kbd>j</kbd> and <kbd>k</kbd> go on and back.
      </p>
      {/* The arrows go from line to line, which Tab does as well. */}
      <ol ref={list} className="events" onKeyDown={move}>
        {shown.map(({ event, line }) => (
          <Row
            key={event.revision}
            event={event}
            line={line}
            isCurrent={event.revision === at}
            isAfter={event.revision > at}
            onChoose={onChoose}
            onShow={onShow}
          />
        ))}
      </ol>
      {chosen.length === 0 ? <p className="list-note">No such event.</p> : null}
      {chosen.length > shown.length ? (
        <Button className="link-button" onPress={() => setPages((before) => before + 1)}>
          Show more
        </Button>
      ) : null}
    </div>
  );
}

type Told = { readonly event: LogEvent; readonly line: EventLine };

function linesOf({ all, names }: Events, last: number, kind: EventKind | 'all'): readonly Told[] {
  const told = all.slice(0, last).map((event) => known(event, names));
  return (kind === 'all' ? told : told.filter(({ line }) => line.kind === kind)).reverse();
}

/** An event never changes, nor do its words. */
const remembered = new WeakMap<LogEvent, Told>();

function known(event: LogEvent, names: ReadonlyMap<string, string>): Told {
  const before = remembered.get(event);
  if (before !== undefined) return before;
  const told = { event, line: lineOf(event, names) };
  remembered.set(event, told);
  return told;
}

const tags = {
  platform: 'platform',
  unverified: 'unverified name',
  'signed in': 'signed in',
  'no name': 'no name',
  '': '',
};

const Row = memo(function Row(given: {
  readonly event: LogEvent;
  readonly line: EventLine;
  readonly isCurrent: boolean;
  readonly isAfter: boolean;
  readonly onChoose: (revision: number) => void;
  readonly onShow: (revision: number) => void;
}) {
  const { event, line, isCurrent, isAfter, onChoose, onShow } = given;
  const { revision, time, actor } = event;
  const tag = whoTag(actor);
  return (
    <li className={`event of-${line.kind}${isCurrent ? ' is-current' : ''}${isAfter ? ' is-after' : ''}`}>
      <button
        type="button"
        className="event-row"
        aria-current={isCurrent ? 'step' : undefined}
        onClick={() => onChoose(revision)}
      >
        <span className="event-icon">
          <Icon name={line.icon} />
        </span>
        <span className="event-text">
          <Line text={line.text} />
        </span>
        <span className="event-meta">
          {tag === '' || tag === 'platform' ? null : (
            <span className={`tag ${tag === 'signed in' ? 'go' : 'plain'}`}>{tags[tag]}</span>
          )}
          {time === null ? null : <time dateTime={time}>{clockTime(time)}</time>}
          <span className="event-revision">
            <span className="visually-hidden">, revision </span>
            {revision}
          </span>
        </span>
      </button>
      {isCurrent ? <Chosen event={event} onShow={onShow} /> : null}
    </li>
  );
});

/** All that the record holds of one event. */
function Chosen({ event, onShow }: { readonly event: LogEvent; readonly onShow: (revision: number) => void }) {
  const { revision, time, actor, type, event_id: id, payload } = event;
  return (
    <div className="event-more">
      <dl className="facts">
        <div>
          <dt>Who</dt>
          <dd>
            <Line text={whoWords(actor)} />
          </dd>
        </div>
        <div>
          <dt>When</dt>
          <dd>
            {time === null
              ? 'not known'
              : new Date(time).toLocaleString(undefined, { dateStyle: 'full', timeStyle: 'medium' })}
          </dd>
        </div>
        <div>
          <dt>In the record</dt>
          <dd>
            <code>
              <Line text={type} />
            </code>
            , <code>{id}</code>
          </dd>
        </div>
      </dl>
      <details className="event-payload">
        <summary>What the record holds</summary>
        <div className="result">
          <Exact text={exactText((payload ?? {}) as ExactValue)} label="the event" />
        </div>
      </details>
      <Button className="button" onPress={() => onShow(revision)}>
        <Icon name="chat" /> Show the conversation as it stood
      </Button>
    </div>
  );
}
