import { timestampFromMs } from '@bufbuild/protobuf/wkt';
import { create, views } from '@stopgo/proto';

/** What a run can wait for that is no person. */
export type WaitKind = 'model' | 'agent' | 'tool_server' | 'tool_bridge' | 'tool_turn' | 'registry';

/** What a run waits for, and whose words they are: free of secrets. */
export type Waited = {
  readonly conversationId: string;
  readonly runId: string;
  readonly kind: WaitKind;
  /** Of the model, the agent or the tool server; empty for a bridge: any will do. */
  readonly name: string;
  readonly reason: string;
};

/** A wait that goes on. */
export type OpenWait = {
  /** It is tried again in so many milliseconds. */
  tries(inMs: number): void;
  /** It is over. Calling it twice does nothing. */
  end(): void;
};

/** Waits that one process tells of, the oldest first; characters of a name or a reason. */
export const waitsToldMax = 200;
const nameCharactersMax = 128;
const reasonCharactersMax = 200;

type Entry = { readonly waited: Waited; readonly since: number; nextTry?: number };

const kinds: Readonly<Record<WaitKind, views.WaitKind>> = {
  model: views.WaitKind.MODEL,
  agent: views.WaitKind.AGENT,
  tool_server: views.WaitKind.TOOL_SERVER,
  tool_bridge: views.WaitKind.TOOL_BRIDGE,
  tool_turn: views.WaitKind.TOOL_TURN,
  registry: views.WaitKind.REGISTRY,
};

/**
 * What the runs of one process wait for now. It is in no log: the heartbeat of the process tells it to the store, and it ends with
 * the process (decision 0056).
 */
export class Waits {
  readonly #entries = new Set<Entry>();
  readonly #now: () => number;
  readonly #onBegin: (waited: Waited) => void;

  /** `now`: milliseconds since 1970. `onBegin` is told of the first wait for a thing, and again only after all for it are over. */
  constructor(now: () => number, onBegin: (waited: Waited) => void = () => undefined) {
    this.#now = now;
    this.#onBegin = onBegin;
  }

  begin(waited: Waited): OpenWait {
    const isKnown = [...this.#entries].some(
      ({ waited: { kind, name } }) => kind === waited.kind && name === waited.name,
    );
    const entry: Entry = { waited, since: this.#now() };
    this.#entries.add(entry);
    if (!isKnown) this.#onBegin(waited);
    return {
      tries: (inMs) => {
        entry.nextTry = this.#now() + inMs;
      },
      end: () => void this.#entries.delete(entry),
    };
  }

  /** What the runs of a conversation wait for; of all conversations if none is named. In the form of the wire, bounded. */
  told(conversationId?: string): views.RunWait[] {
    const told: views.RunWait[] = [];
    for (const entry of this.#entries) {
      if (told.length === waitsToldMax) break;
      if (conversationId === undefined || entry.waited.conversationId === conversationId) told.push(toWire(entry));
    }
    return told;
  }
}

function toWire({ waited, since, nextTry }: Entry): views.RunWait {
  const { conversationId, runId, kind, name, reason } = waited;
  return create(views.RunWaitSchema, {
    conversationId,
    runId,
    kind: kinds[kind],
    name: name.slice(0, nameCharactersMax),
    reason: reason.slice(0, reasonCharactersMax),
    since: timestampFromMs(Math.round(since)),
    ...(nextTry === undefined ? {} : { nextTry: timestampFromMs(Math.round(nextTry)) }),
  });
}
