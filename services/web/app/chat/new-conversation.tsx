import type { AnswerOf, Tool } from '@stopgo/client';
import { useEffect, useState } from 'react';
import { platform } from '../api/platform.ts';
import { askOnce } from '../api/tries.ts';
import { wordsOf } from '../api/words.ts';
import { listChanged } from '../state/conversations.ts';
import { go } from '../state/place.ts';
import { count, Line } from '../ui/text.tsx';
import { ChosenAgent, useChosenAgent } from './chosen-agent.tsx';
import { Composer } from './composer.tsx';

/** Where a conversation begins. The address may say with which agent, and at which commit of it. */
export function NewConversation({ query }: { readonly query: string }) {
  const chosen = useChosenAgent(query);
  const [isSending, setSending] = useState(false);
  const [problem, setProblem] = useState<string>();
  const tools = useTools();
  const begin = async (message: string) => {
    setSending(true);
    setProblem(undefined);
    try {
      const { conversation } = await askOnce<AnswerOf<'POST /conversations'>>(
        'new',
        '/conversations',
        JSON.stringify({ message, ...chosen.asked }),
        {
          prefer: 'respond-async, return=minimal',
        },
      );
      listChanged();
      go(`/c/${conversation.id}`);
    } catch (error) {
      sessionStorage.setItem('stopgo.draft.new', message);
      setProblem(wordsOf(error));
      setSending(false);
    }
  };
  return (
    <div className="welcome">
      <div className="welcome-inner">
        <h1>What is to be done?</h1>
        <p className="lead">
          The agent goes ahead with what does no harm. Before anything else it stops, shows you what it is about to do,
          and goes on once you say yes.
        </p>
        <ChosenAgent chosen={chosen} />
        <Composer
          key={problem}
          draftName="new"
          placeholder="Write to the agent"
          autoFocus
          isDisabled={isSending || chosen.isMissing}
          hint={isSending ? 'Sending…' : undefined}
          onSend={(message) => void begin(message)}
        />
        <p role="alert" className="problem">
          {problem}
        </p>
        {chosen.asked.agent === undefined ? <Tools tools={tools} /> : null}
      </div>
    </div>
  );
}

const shownMax = 8;

function Tools({ tools }: { readonly tools: readonly Tool[] }) {
  if (tools.length === 0) return null;
  const more = tools.length - shownMax;
  return (
    <section className="tools-offered" aria-labelledby="tools-offered">
      <h2 id="tools-offered">It has {count(tools.length, 'tool')}</h2>
      <ul>
        {tools.slice(0, shownMax).map(({ name, description, destructiveHint }) => (
          <li key={name} title={description}>
            <Line text={name} />
            {destructiveHint ? <span className="tag wait">can do harm</span> : null}
          </li>
        ))}
        {more > 0 ? <li className="more">and {more} more</li> : null}
      </ul>
    </section>
  );
}

function useTools(): readonly Tool[] {
  const [tools, setTools] = useState<readonly Tool[]>([]);
  useEffect(() => {
    const ended = new AbortController();
    platform.call('GET /tools', { signal: ended.signal }).then(
      (answer) => setTools(answer.tools),
      () => undefined,
    );
    return () => ended.abort();
  }, []);
  return tools;
}
