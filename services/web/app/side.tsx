import type { Conversation } from '@stopgo/client';
import { useRef, useState } from 'react';
import { Button } from 'react-aria-components';
import { useConversations } from './state/conversations.ts';
import { counts, shortCount, waitingFor } from './state/live.ts';
import type { Place } from './state/place.ts';
import { questionsWaiting } from './state/questions.ts';
import { useStore } from './state/store.ts';
import { Icon, Mark } from './ui/icon.tsx';
import { Link } from './ui/link.tsx';
import { Line } from './ui/text.tsx';
import { Time } from './ui/time.tsx';

/** What there is: the ways to go, and the conversations. */
export function Side(given: { readonly place: Place; readonly onHelp: () => void; readonly onSettings: () => void }) {
  const { place, onHelp, onSettings } = given;
  const waiting = waitingFor(useStore(counts));
  const asked = useStore(questionsWaiting) ?? 0;
  return (
    <div className="side">
      <header className="side-head">
        <Link to="/" className="brand">
          <Mark />
          <span>Stop and Go</span>
        </Link>
        <Button className="icon-button" aria-label="Settings" onPress={onSettings}>
          <Icon name="person" />
        </Button>
        <Button className="icon-button" aria-label="Help and keys" onPress={onHelp}>
          <Icon name="help" />
        </Button>
      </header>
      <nav aria-label="Main" className="side-nav">
        <Link to="/" isCurrent={place.page === 'chat' && place.conversation === undefined} className="nav-link">
          <Icon name="plus" /> New conversation
        </Link>
        <Link to="/approvals" isCurrent={place.page === 'approvals'} className="nav-link">
          <Icon name="inbox" /> Approvals
          {waiting > 0 ? (
            <span className="badge">
              {shortCount(waiting)}
              <span className="visually-hidden"> waiting</span>
            </span>
          ) : null}
        </Link>
        <Link to="/questions" isCurrent={place.page === 'questions'} className="nav-link">
          <Icon name="help" /> Questions
          {asked > 0 ? (
            <span className="badge">
              {asked}
              <span className="visually-hidden"> waiting</span>
            </span>
          ) : null}
        </Link>
        <Link to="/agents" isCurrent={place.page === 'agents'} className="nav-link">
          <Icon name="agent" /> Agents
        </Link>
        <Link to="/operations" isCurrent={place.page === 'operations'} className="nav-link">
          <Icon name="pulse" /> Operations
        </Link>
      </nav>
      <Conversations current={place.page === 'chat' || place.page === 'run' ? place.conversation : undefined} />
    </div>
  );
}

function Conversations({ current }: { readonly current: string | undefined }) {
  const [words, setWords] = useState('');
  const { conversations, isLoading, hasMore, problem, more } = useConversations(words);
  const list = useRef<HTMLUListElement>(null);
  const rowAt = (index: number) => list.current?.querySelectorAll('a')[index];
  const move = (event: React.KeyboardEvent) => {
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    const rows = [...(list.current?.querySelectorAll('a') ?? [])];
    const next = rows[rows.indexOf(document.activeElement as HTMLAnchorElement) + step];
    if (step === 0 || next === undefined) return;
    event.preventDefault();
    next.focus();
  };
  return (
    <nav aria-label="Conversations" className="conversations">
      <label className="search">
        <Icon name="search" />
        <span className="visually-hidden">Search conversations</span>
        <input
          type="search"
          placeholder="Search"
          value={words}
          onChange={(event) => setWords(event.target.value)}
          onKeyDown={(event) => {
            if (event.key === 'Escape') setWords('');
            if (event.key !== 'ArrowDown') return;
            event.preventDefault();
            rowAt(0)?.focus();
          }}
        />
      </label>
      {/* biome-ignore lint/a11y/noNoninteractiveElementInteractions: the arrows go from link to link, which Tab does as well */}
      <ul ref={list} onKeyDown={move}>
        {conversations.map((one) => (
          <Row key={one.id} conversation={one} isCurrent={one.id === current} />
        ))}
      </ul>
      <p role="status" className="list-note">
        {problem ??
          (isLoading || conversations.length > 0 ? '' : words === '' ? 'No conversation yet.' : 'Nothing found.')}
      </p>
      {hasMore ? (
        <Button className="link-button" onPress={more}>
          Show more
        </Button>
      ) : null}
    </nav>
  );
}

function Row({ conversation, isCurrent }: { readonly conversation: Conversation; readonly isCurrent: boolean }) {
  const { id, title, updated_at: at } = conversation;
  const waits = conversation.status === 'waiting_approval';
  const asks = (conversation.pending_inputs ?? []).length > 0;
  const isPaused = conversation.run?.paused !== undefined;
  const works = conversation.run?.status === 'working';
  const failed = conversation.run?.status === 'failed';
  return (
    <li>
      <Link to={`/c/${id}`} isCurrent={isCurrent} className="conversation-row">
        <span className="row-title">{title === '' ? 'No message yet' : <Line text={title} />}</span>
        <span className="row-meta">
          {waits && !isPaused ? <span className="dot wait">Waits for a decision</span> : null}
          {asks && !isPaused ? <span className="dot wait">Waits for an answer</span> : null}
          {isPaused ? <span className="dot wait">Paused</span> : null}
          {works && !isPaused ? <span className="dot work">Working</span> : null}
          {failed ? <span className="dot bad">Failed</span> : null}
          <Time at={at} />
        </span>
      </Link>
    </li>
  );
}
