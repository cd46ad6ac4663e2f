import { useState } from 'react';
import { Button } from 'react-aria-components';
import { platform } from '../api/platform.ts';
import { claimedName } from '../api/signed-in.ts';
import { useAnswer } from '../state/answer.ts';
import { hasScope, type Me } from '../state/me.ts';
import { AskFirst } from '../ui/ask-first.tsx';
import { Link } from '../ui/link.tsx';
import { Loaded } from '../ui/page.tsx';
import { count, Exact, Line } from '../ui/text.tsx';
import { Time } from '../ui/time.tsx';
import type { Standing, StandingConversation } from './types.ts';

const everyMs = 10_000;
/** Conversations that are looked through at a time. */
const pageConversations = 100;

/** What somebody has approved for the rest of a conversation, newest conversations first. */
export function StandingPage({ me }: { readonly me: Me }) {
  return (
    <div className="operations">
      <section className="block" aria-labelledby="standing-title">
        <h2 id="standing-title">Standing approvals</h2>
        <p className="lead">
          Whoever decides on a call may let the like of it run for the rest of that conversation. Each of them is listed
          here, and can be taken back.
        </p>
        <StandingIn cursor={undefined} looked={0} me={me} />
      </section>
    </div>
  );
}

type Page = { readonly conversations: readonly StandingConversation[]; readonly next_cursor?: string };

/** Those of one page of conversations, and on demand of the pages behind it. */
function StandingIn(given: { readonly cursor: string | undefined; readonly looked: number; readonly me: Me }) {
  const { cursor, looked, me } = given;
  const [isMore, setMore] = useState(false);
  const at = cursor === undefined ? '' : `&cursor=${encodeURIComponent(cursor)}`;
  const page = useAnswer<Page>(`/conversations?limit=${pageConversations}${at}`, everyMs);
  return (
    <Loaded of={page}>
      {({ conversations, next_cursor: next }) => {
        const found = conversations.flatMap((one) =>
          (one.standing_approvals ?? []).map((standing) => ({ conversation: one, standing })),
        );
        const all = looked + conversations.length;
        return (
          <>
            <ul className="panels">
              {found.map(({ conversation, standing }) => (
                <li key={standing.id}>
                  <OneStanding
                    conversation={conversation}
                    standing={standing}
                    mayRevoke={hasScope(me, 'approve')}
                    onRevoked={page.again}
                  />
                </li>
              ))}
            </ul>
            {isMore && next !== undefined ? (
              <StandingIn cursor={next} looked={all} me={me} />
            ) : (
              <p className="calm">
                {found.length === 0 ? 'None stands' : 'No more'} in the {count(all, 'conversation')} that changed last.{' '}
                {next === undefined ? 'These are all.' : null}
                {next === undefined ? null : (
                  <Button className="link-button" onPress={() => setMore(true)}>
                    Look through older ones
                  </Button>
                )}
              </p>
            )}
          </>
        );
      }}
    </Loaded>
  );
}

function OneStanding(given: {
  readonly conversation: StandingConversation;
  readonly standing: Standing;
  readonly mayRevoke: boolean;
  readonly onRevoked: () => void;
}) {
  const { conversation, standing, mayRevoke, onRevoked } = given;
  const { id, server, tool, arguments: how, granted_by: by, granted_at: at } = standing;
  const revoke = async () => {
    const name = claimedName();
    await platform.call('POST /conversations/{id}/standing/{standing}/revoke', {
      path: { id: conversation.id, standing: id },
      body: name === '' ? {} : { by: name },
    });
    onRevoked();
  };
  return (
    <article className="panel" aria-label={`Calls of ${tool}`}>
      <h3>
        Calls of <Exact text={tool} label="the tool" />
        {server === undefined ? null : (
          <span className="of-server">
            {' '}
            of <Exact text={server} label="the server" />
          </span>
        )}
      </h3>
      <p>
        {how === 'any'
          ? 'With any arguments, they run without asking.'
          : 'With exactly the same arguments, they run without asking.'}
      </p>
      <p className="panel-note">
        Approved by <Line text={by === '' ? 'somebody' : by} />, <Time at={at} />, for the rest of{' '}
        <Link to={`/c/${conversation.id}`}>
          {conversation.title === '' ? 'the conversation' : <Line text={conversation.title} />}
        </Link>
      </p>
      {mayRevoke ? (
        <AskFirst
          label="Take back…"
          name={`Take back the approval of ${tool}`}
          tone="stop"
          yes="Yes, take it back"
          means={
            <p>
              Further calls of this tool are asked about again. One that was let through and has not begun fails; one
              that is safe to repeat may still run.
            </p>
          }
          onYes={revoke}
        />
      ) : null}
    </article>
  );
}
