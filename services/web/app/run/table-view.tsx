import { Button } from 'react-aria-components';
import { Icon } from '../ui/icon.tsx';
import { Line } from '../ui/text.tsx';
import { clockTime } from '../ui/time.tsx';
import { DetailsBeside } from './node-details.tsx';
import type { RunNode } from './run-node.ts';
import { costWords, numberWords } from './spent.ts';
import { StateMark } from './state-mark.tsx';
import { kindIcon, kindWords, stateSaid, tookWords } from './words.ts';

/** The same as the graph, a line each. */
export function TableView(given: {
  readonly conversation: string;
  readonly nodes: readonly RunNode[];
  readonly chosen: string | undefined;
  readonly onChoose: (id: string | undefined) => void;
}) {
  const { conversation, nodes, chosen, onChoose } = given;
  return (
    <DetailsBeside conversation={conversation} nodes={nodes} chosen={chosen} onChoose={onChoose} isBroad>
      {(open) => (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a table that is wider than the page is scrolled with the keyboard
        <section className="run-table" tabIndex={0} aria-label="Agents, steps and calls">
          <table>
            <thead>
              <tr>
                <th scope="col">What</th>
                <th scope="col">State</th>
                <th scope="col">Began</th>
                <th scope="col">Took</th>
                <th scope="col">Waited for people</th>
                <th scope="col">Tokens in</th>
                <th scope="col">Tokens out</th>
                <th scope="col">Cost</th>
                <th scope="col">Attempts</th>
              </tr>
            </thead>
            <tbody>
              {nodes.map((node) => (
                <Row key={node.id} node={node} isChosen={node.id === chosen} onOpen={(byKey) => open(node.id, byKey)} />
              ))}
            </tbody>
          </table>
        </section>
      )}
    </DetailsBeside>
  );
}

function Row({
  node,
  isChosen,
  onOpen,
}: {
  readonly node: RunNode;
  readonly isChosen: boolean;
  readonly onOpen: (byKey: boolean) => void;
}) {
  const { spent, depth, startedAt, tookMs, waitedMs, attempts, kind } = node;
  const hasSpent = spent.inputTokens + spent.outputTokens > 0;
  return (
    <tr className={isChosen ? 'is-chosen' : undefined}>
      <th scope="row">
        <span className="row-place">
          {Array.from({ length: Math.min(depth, 12) }, (_, level) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: levels are told by their number alone
            <span key={level} className="row-level" aria-hidden="true" />
          ))}
          <Icon name={kindIcon(kind)} />
          <Button
            className="link-button row-open"
            onPress={({ pointerType }) => onOpen(pointerType === 'keyboard' || pointerType === 'virtual')}
          >
            <Line text={node.name} />
          </Button>
          <span className="row-kind">
            <Line text={kindWords(node)} />
          </span>
        </span>
      </th>
      <td>
        <StateMark of={stateSaid(node.state)} />
      </td>
      <td>{startedAt === undefined ? '' : clockTime(new Date(startedAt).toISOString())}</td>
      <td className="figure">{tookMs === undefined ? '' : tookWords(tookMs)}</td>
      <td className="figure">{waitedMs > 0 ? tookWords(waitedMs) : ''}</td>
      <td className="figure">{hasSpent ? numberWords(spent.inputTokens) : ''}</td>
      <td className="figure">{hasSpent ? numberWords(spent.outputTokens) : ''}</td>
      <td className="figure">{costWords(spent)}</td>
      <td className="figure">{attempts > 0 ? attempts : ''}</td>
    </tr>
  );
}
