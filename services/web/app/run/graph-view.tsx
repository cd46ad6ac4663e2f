import { visibleLine } from '@stopgo/core/visible';
import { useRef, useState } from 'react';
import { Sign } from '../ui/icon.tsx';
import { count } from '../ui/text.tsx';
import { type Box, fitted, layoutOf } from './layout.ts';
import { DetailsBeside } from './node-details.tsx';
import type { RunNode } from './run-node.ts';
import { useWidth } from './use-width.ts';
import { kindIcon, kindWords, moreWords, spentWords, stateSaid, tookWords } from './words.ts';

/** So many boxes are drawn; the table has all. */
const drawnMax = 600;
/** Heights of boxes with two lines and with three, in pixels. */
const heights = { call: 58, agent: 78 } as const;
/** The width of a letter of a name and of a line below it, in pixels, roughly: what is longer is cut. */
const letter = { name: 7.9, line: 6.6 } as const;
const textX = 50;

type Given = {
  readonly conversation: string;
  readonly nodes: readonly RunNode[];
  readonly chosen: string | undefined;
  readonly onChoose: (id: string | undefined) => void;
};

/** The agents, steps and calls of a run, and who began which. */
export function GraphView({ conversation, nodes, chosen, onChoose }: Given) {
  return (
    <DetailsBeside conversation={conversation} nodes={nodes} chosen={chosen} onChoose={onChoose}>
      {(open) => (
        <Graph nodes={nodes.slice(0, drawnMax)} left={nodes.length - drawnMax} chosen={chosen} onOpen={open} />
      )}
    </DetailsBeside>
  );
}

function Graph(given: {
  readonly nodes: readonly RunNode[];
  readonly left: number;
  readonly chosen: string | undefined;
  readonly onOpen: (id: string, byKey: boolean) => void;
}) {
  const { nodes, left, chosen, onOpen } = given;
  const [box, width] = useWidth<HTMLDivElement>();
  const [focused, setFocused] = useState<string>();
  const drawing = useRef<SVGSVGElement>(null);
  // One box can be reached with Tab; the arrows go from there.
  const current = nodes.find(({ id }) => id === (focused ?? chosen)) ?? nodes[0];
  const items = nodes.map((node) => ({ ...node, height: isTall(node) ? heights.agent : heights.call }));
  const layout = layoutOf(items, width - margin * 2);
  const boxes = new Map(layout.boxes.map((one) => [one.id, one]));
  const focus = (node: RunNode | undefined) => {
    if (node === undefined) return;
    setFocused(node.id);
    drawing.current?.querySelector<SVGGElement>(`[data-place="${nodes.indexOf(node)}"]`)?.focus();
  };
  const press = (event: React.KeyboardEvent, node: RunNode) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === 'Enter' || event.key === ' ') onOpen(node.id, true);
    else if (!(event.key in moves)) return;
    else focus(moves[event.key]?.(nodes, node));
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <div ref={box} className="graph">
      {width === 0 ? null : (
        <svg
          ref={drawing}
          // biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: no element is a tree that is drawn
          role="tree"
          aria-label="Agents, steps and calls"
          width={Math.max(layout.width, 1) + margin * 2}
          height={layout.height + margin * 2}
        >
          <g transform={`translate(${margin} ${margin})`}>
            {layout.edges.map(({ to, path }) => (
              <path key={to} d={path} className="edge" />
            ))}
            {nodes.map((node, place) => {
              const at = boxes.get(node.id);
              return at === undefined ? null : (
                <g
                  key={node.id}
                  role="treeitem"
                  className={`graph-node ${stateSaid(node.state).tone} ${node.state}`}
                  data-place={place}
                  tabIndex={node === current ? 0 : -1}
                  aria-level={node.depth + 1}
                  aria-selected={node.id === chosen}
                  aria-label={labelOf(node, linesOf(node, at))}
                  transform={`translate(${at.x} ${at.y})`}
                  onClick={() => {
                    setFocused(node.id);
                    onOpen(node.id, false);
                  }}
                  onFocus={() => setFocused(node.id)}
                  onKeyDown={(event) => press(event, node)}
                >
                  <Drawn node={node} box={at} />
                </g>
              );
            })}
          </g>
        </svg>
      )}
      {left > 0 ? <p className="list-note">{count(left, 'more box')}es are not drawn: the table has all.</p> : null}
    </div>
  );
}

/** Room around the drawing for the line around what is chosen. */
const margin = 4;

const isTall = ({ kind, spent }: RunNode): boolean =>
  kind === 'agent' || (kind === 'step' && spent.inputTokens + spent.outputTokens > 0);

/** Where each key leads from a box. */
const moves: Readonly<Record<string, (nodes: readonly RunNode[], from: RunNode) => RunNode | undefined>> = {
  ArrowDown: (nodes, from) => nodes[nodes.indexOf(from) + 1],
  ArrowUp: (nodes, from) => nodes[nodes.indexOf(from) - 1],
  ArrowRight: (nodes, from) => nodes.find(({ parent }) => parent === from.id),
  ArrowLeft: (nodes, from) => nodes.find(({ id }) => id === from.parent),
  Home: (nodes) => nodes[0],
  End: (nodes) => nodes.at(-1),
};

/** What stands in a box, a line each, as far as it has room. */
function linesOf(node: RunNode, { width, height }: Box): readonly string[] {
  const room = width - textX - 12;
  const took = node.tookMs === undefined ? '' : ` · ${tookWords(node.tookMs)}`;
  const attempts = node.attempts > 1 ? ` · ${node.attempts} attempts` : '';
  return [
    fitted(visibleLine(node.name), (room - 22) / letter.name),
    fitted(`${stateSaid(node.state).word}${took}${attempts}`, room / letter.line),
    ...(height > heights.call ? [fitted(visibleLine(spentWords(node) || kindWords(node)), room / letter.line)] : []),
  ];
}

/** What is seen of a box, and what is not, for those who hear it. */
const labelOf = (node: RunNode, lines: readonly string[]): string =>
  `${lines.join(' ')}; ${visibleLine(moreWords(node, lines[0] !== visibleLine(node.name)))}`;

function Drawn({ node, box }: { readonly node: RunNode; readonly box: Box }) {
  const { width, height } = box;
  const [name, state, spent] = linesOf(node, box);
  // The space behind each line keeps their words apart for those who hear them.
  return (
    <>
      <rect width={width} height={height} rx="12" className="node-box" />
      <circle cx="26" cy="28" r="15" className="node-disc" />
      <g transform="translate(17 19) scale(0.75)" className="node-sign">
        <Sign name={stateSaid(node.state).icon} />
      </g>
      <text x={textX} y="24" className="node-name">
        {`${name} `}
      </text>
      <g transform={`translate(${width - 28} 11) scale(0.67)`} className="node-kind">
        <Sign name={kindIcon(node.kind)} />
      </g>
      <text x={textX} y="44" className="node-state">
        {`${state} `}
      </text>
      {spent === undefined ? null : (
        <text x={textX} y="63" className="node-spent">
          {spent}
        </text>
      )}
    </>
  );
}
