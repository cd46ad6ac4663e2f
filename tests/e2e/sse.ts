import { until } from './http.ts';

/** An event of an event stream as it was sent. */
export type SentEvent = {
  readonly id?: number;
  readonly type: string;
  readonly data: Readonly<Record<string, unknown>>;
};

/** An open event stream of a conversation. */
export type EventStream = {
  /** All events that have come so far. */
  readonly events: readonly SentEvent[];
  /** Waits for an event that fits. */
  next(what: string, fits: (event: SentEvent) => boolean): Promise<SentEvent>;
  /** Resolves when the stream has ended, from whichever side. */
  readonly ended: Promise<void>;
  close(): void;
};

/** Follows a conversation, after the event with this revision if one is given. */
export async function follow(url: string, conversationId: string, lastEventId?: number): Promise<EventStream> {
  const controller = new AbortController();
  const headers: Record<string, string> = lastEventId === undefined ? {} : { 'last-event-id': String(lastEventId) };
  const response = await fetch(`${url}/conversations/${conversationId}/events`, { headers, signal: controller.signal });
  if (!response.ok || response.body === null) throw new Error(`no event stream: ${response.status}`);
  const events: SentEvent[] = [];
  const ended = collect(response.body, events).catch(() => undefined);
  return {
    events,
    ended,
    next: (what, fits) => until(what, async () => events.find(fits)),
    close: () => controller.abort(),
  };
}

async function collect(body: ReadableStream<Uint8Array>, events: SentEvent[]): Promise<void> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of body) {
    text += decoder.decode(chunk, { stream: true });
    const blocks = text.split('\n\n');
    text = blocks.pop() ?? '';
    for (const block of blocks) {
      const event = parsed(block);
      if (event !== undefined) events.push(event);
    }
  }
}

function parsed(block: string): SentEvent | undefined {
  const fields = new Map(
    block.split('\n').map((line) => [line.split(': ', 1)[0] ?? '', line.replace(/^[a-z]*: /, '')]),
  );
  const data = fields.get('data');
  if (data === undefined) return undefined;
  const id = fields.get('id');
  return {
    type: fields.get('event') ?? '',
    data: JSON.parse(data) as Record<string, unknown>,
    ...(id === undefined ? {} : { id: Number(id) }),
  };
}
