import { lazy, Suspense, useEffect, useState } from 'react';
import { onSignInWanted } from './api/platform.ts';
import { ApprovalsPage } from './approvals/approvals-page.tsx';
import { ConversationPage } from './chat/conversation-page.tsx';
import { NewConversation } from './chat/new-conversation.tsx';
import { Help } from './help.tsx';
import { QuestionsPage } from './questions/questions-page.tsx';
import { Settings } from './settings.tsx';
import { Side } from './side.tsx';
import { SignIn } from './sign-in.tsx';
import { counts, shortCount, waitingFor } from './state/live.ts';
import { go, usePlace } from './state/place.ts';
import { questionsWaiting } from './state/questions.ts';
import { mustSignIn } from './state/session.ts';
import { useStore } from './state/store.ts';
import { ConnectionLine } from './ui/connection-line.tsx';
import { Link } from './ui/link.tsx';
import { useShortcuts } from './ui/shortcuts.ts';

// What is not looked at first is loaded when somebody goes there.
const RunPage = lazy(() => import('./run/run-page.tsx'));
const AgentsPage = lazy(() => import('./agents/agents-page.tsx'));
const AccountsPage = lazy(() => import('./accounts/accounts-page.tsx'));
const OperationsPage = lazy(() => import('./operations/operations-page.tsx'));

const names = {
  chat: 'Chat',
  approvals: 'Approvals',
  questions: 'Questions',
  run: 'Run',
  agents: 'Agents',
  operations: 'Operations',
  accounts: 'Connected accounts',
  unknown: 'Nothing here',
} as const;

type Opened = 'help' | 'settings' | undefined;

/** The whole app: the side with what there is, and the place where somebody is. */
export function App() {
  const place = usePlace();
  const [opened, setOpened] = useState<Opened>();
  const [signInWanted, setSignInWanted] = useState(mustSignIn() ? { why: '' } : undefined);
  const waiting = waitingFor(useStore(counts)) + (useStore(questionsWaiting) ?? 0);
  useEffect(() => {
    const want = (why: string) => setSignInWanted({ why });
    onSignInWanted.add(want);
    return () => {
      onSignInWanted.delete(want);
    };
  }, []);
  const name = names[place.page];
  useEffect(() => {
    document.title = `${waiting > 0 ? `(${shortCount(waiting)}) ` : ''}${name} · Stop and Go`;
  }, [waiting, name]);
  useShortcuts({
    '?': () => setOpened('help'),
    n: () => go('/'),
    i: () => go('/approvals'),
    q: () => go('/questions'),
    g: () => go('/agents'),
    o: () => go('/operations'),
    // The search of the page that somebody is on goes before that of the side.
    '/': () =>
      (
        document.querySelector<HTMLInputElement>('main input[type="search"]') ??
        document.querySelector<HTMLInputElement>('input[type="search"]')
      )?.focus(),
  });
  if (signInWanted !== undefined)
    return <SignIn why={signInWanted.why} onSignedIn={() => setSignInWanted(undefined)} />;
  const isList = place.page === 'chat' && place.conversation === undefined;
  return (
    <div className={isList ? 'shell at-list' : 'shell'}>
      <a className="skip" href="#main">
        Skip to the content
      </a>
      <Side place={place} onHelp={() => setOpened('help')} onSettings={() => setOpened('settings')} />
      <main id="main" tabIndex={-1}>
        <ConnectionLine />
        <Suspense fallback={<p className="list-note">Loading…</p>}>
          <Page />
        </Suspense>
      </main>
      <Help isOpen={opened === 'help'} onClose={() => setOpened(undefined)} />
      <Settings isOpen={opened === 'settings'} onClose={() => setOpened(undefined)} />
    </div>
  );
}

function Page() {
  const place = usePlace();
  if (place.page === 'approvals') return <ApprovalsPage query={place.query} approval={place.approval} />;
  if (place.page === 'questions')
    return <QuestionsPage conversation={place.conversation} question={place.question} query={place.query} />;
  if (place.page === 'chat')
    return place.conversation === undefined ? (
      <NewConversation query={place.query} />
    ) : (
      <ConversationPage key={place.conversation} id={place.conversation} />
    );
  if (place.page === 'run') return <RunPage key={place.conversation} id={place.conversation} query={place.query} />;
  if (place.page === 'agents') return <AgentsPage rest={place.rest} query={place.query} />;
  if (place.page === 'accounts') return <AccountsPage isBack={place.isBack} query={place.query} />;
  if (place.page === 'operations') return <OperationsPage rest={place.rest} query={place.query} />;
  return (
    <div className="empty-page">
      <h1>There is nothing here</h1>
      <p>The address leads nowhere in this app.</p>
      <Link to="/" className="button primary">
        Start a conversation
      </Link>
    </div>
  );
}
