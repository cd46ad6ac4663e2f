import './agents.css';
import { useState } from 'react';
import { Button } from 'react-aria-components';
import { useAnswer } from '../state/answer.ts';
import { go } from '../state/place.ts';
import { Dialog } from '../ui/dialog.tsx';
import { Icon } from '../ui/icon.tsx';
import { Loaded } from '../ui/page.tsx';
import { Line } from '../ui/text.tsx';
import { beginPlace } from './places.ts';
import type { AgentPageAnswer, Card } from './types.ts';

const itemsMax = 50;

/** Has somebody choose the agent that a new conversation is for. */
export default function ChooseAgent({ onClose }: { readonly onClose: () => void }) {
  const [words, setWords] = useState('');
  const q = words.trim();
  const query = new URLSearchParams({ limit: String(itemsMax), ...(q === '' ? {} : { q }) });
  const found = useAnswer<AgentPageAnswer>(`/agents?${query}`);
  const own = useAnswer<Card>('/.well-known/agent-card.json').value;
  const choose = (place: string) => {
    onClose();
    go(place);
  };
  return (
    <Dialog title="Choose an agent" isOpen onClose={onClose} isWide>
      <label className="search">
        <Icon name="search" />
        <span className="visually-hidden">Search agents</span>
        <input
          autoFocus
          type="search"
          placeholder="Search by name, description or tag"
          value={words}
          onChange={(event) => setWords(event.target.value)}
        />
      </label>
      <div className="choose-list">
        {q !== '' || own === undefined ? null : (
          <Choice name={own.name} what="The agent of the configuration" onPress={() => choose('/')} />
        )}
        <Loaded of={found}>
          {({ agents, total }) => (
            <>
              {agents.map(({ name, description }) => (
                <Choice key={name} name={name} what={description} onPress={() => choose(beginPlace(name))} />
              ))}
              <p role="status" className="card-note">
                {total === 0
                  ? 'Nothing found.'
                  : total > agents.length
                    ? `${total - agents.length} more: search for them.`
                    : ''}
              </p>
            </>
          )}
        </Loaded>
      </div>
    </Dialog>
  );
}

const Choice = (given: { readonly name: string; readonly what: string; readonly onPress: () => void }) => (
  <Button className="choose-row" onPress={given.onPress}>
    <span className="agent-row-name">
      <Line text={given.name} />
    </span>
    <span className="agent-row-what">
      <Line text={given.what} />
    </span>
  </Button>
);
