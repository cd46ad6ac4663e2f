import type { Conversation } from '@stopgo/client';
import { Link } from '../ui/link.tsx';
import { Block } from '../ui/text.tsx';
import type { Transcript } from './transcript.ts';

/** What the run waits for right now, in words. */
export function Waiting(given: {
  readonly transcript: Transcript;
  readonly head: Conversation | undefined;
  readonly isLive: boolean;
}) {
  const { transcript, head, isLive } = given;
  const said = wordsOf(transcript, head);
  return (
    <div role="status" className="waiting">
      {said === undefined || !isLive ? null : (
        <p className={said.isBlocked ? 'waiting-line blocked' : 'waiting-line'}>
          <span className="pulse" aria-hidden="true" />
          <span>
            <Block text={said.text} />
            {said.wantsAccount ? (
              <>
                {' '}
                <Link to="/accounts" className="nowrap">
                  Connect your account
                </Link>
              </>
            ) : null}
          </span>
        </p>
      )}
    </div>
  );
}

function wordsOf(
  { isRunOpen, activity, calls, writing, paused }: Transcript,
  head: Conversation | undefined,
): { readonly text: string; readonly isBlocked: boolean; readonly wantsAccount?: boolean } | undefined {
  // A card says why.
  if (!isRunOpen || paused !== undefined) return undefined;
  const waits = head?.waiting_for ?? [];
  const outOfReach = waits.find(({ kind }) => !['approval', 'input', 'auth', 'pause'].includes(kind));
  if (outOfReach !== undefined) return { text: `It waits: ${localTimes(outOfReach.text)}.`, isBlocked: true };
  if (activity === 'people') {
    const question = waits.find(({ kind }) => kind === 'auth');
    if (question === undefined) return undefined;
    // As the platform says it where an account can be connected; else a token goes with the message.
    const [wanted = '', way] = question.text.split(' Connect your account');
    if (way !== undefined)
      return { text: `It waits: ${wanted} The call goes on by itself then.`, isBlocked: true, wantsAccount: true };
    return { text: `It waits: ${localTimes(question.text)}.`, isBlocked: true };
  }
  if (activity === 'tools') {
    const running = [...calls.values()].filter(({ state }) => state === 'running').map(({ tool }) => tool);
    if (running.length === 1) return { text: `${running[0]} is running…`, isBlocked: false };
    if (running.length > 1) return { text: `${running.length} tools are running…`, isBlocked: false };
  }
  return { text: writing.size > 0 ? 'The model is writing…' : 'The model is thinking…', isBlocked: false };
}

/** Times as the clock of whoever reads shows them. */
const localTimes = (text: string): string =>
  text.replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, (time) =>
    new Date(time).toLocaleTimeString(undefined, { hour: '2-digit', minute: '2-digit', second: '2-digit' }),
  );
