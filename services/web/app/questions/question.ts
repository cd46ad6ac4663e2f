import { type ExactValue, type PendingInput, parseExact } from '@stopgo/client';
import type { LogEvent } from '../api/payload.ts';

// What a tool server or an agent asks people, however the app was told of it: by an event, or by an answer of the platform.

export type QuestionMode = 'form' | 'url' | 'file';

export type Question = {
  readonly id: string;
  readonly conversation: string;
  readonly mode: QuestionMode;
  /** Who asks: a tool server, or an agent of the platform. */
  readonly by: 'server' | 'agent';
  readonly name: string;
  readonly tool: string;
  readonly node: string;
  readonly message: string;
  /** Of a form: the schema of its values. */
  readonly schema?: ExactValue;
  readonly url?: string;
  /** Of what an agent asks: the form of the answer. */
  readonly type?: string;
  /** Of what an agent asks: it may be left out. */
  readonly isOptional: boolean;
  readonly requestedAt: string | null;
  readonly expiresAt?: string;
};

/** What became of a question, by the record. */
export type Outcome = {
  readonly how: 'accept' | 'decline' | 'cancel' | 'withdrawn';
  /** Who answered, as they are named on the page; undefined: nobody. */
  readonly by?: string;
  readonly at: string | null;
  /** What was answered. */
  readonly content?: ExactValue;
  /** Why nobody is asked any more. */
  readonly why?: string;
};

/** A question with what became of it. */
export type Asked = { readonly question: Question; readonly outcome?: Outcome };

/** A question as the platform shows it. */
export function questionOf(input: PendingInput): Question {
  const { id, conversation_id: conversation, mode, server, agent, tool, message } = input;
  return {
    ...{ id, conversation, mode, tool, message, node: input.node ?? '', requestedAt: input.requested_at },
    ...(agent === undefined ? { by: 'server', name: server ?? '' } : { by: 'agent', name: agent }),
    ...(input.requested_schema === undefined ? {} : { schema: input.requested_schema }),
    ...(input.url === undefined ? {} : { url: input.url }),
    ...(input.input_type === undefined ? {} : { type: input.input_type }),
    ...(input.expires_at === undefined ? {} : { expiresAt: input.expires_at }),
    isOptional: input.required === false,
  };
}

type Payload = LogEvent['payload'];
const text = (from: Payload, name: string): string => (typeof from[name] === 'string' ? from[name] : '');
const part = (from: Payload, name: string): Payload | undefined =>
  typeof from[name] === 'object' && from[name] !== null ? (from[name] as Payload) : undefined;

/** The same by the event that asks; undefined if it asks no person, as for a token or an answer of a model. */
export function questionIn({ payload, time }: Pick<LogEvent, 'payload' | 'time'>, conversation: string) {
  const [ofServer, ofAgent] = [part(payload, 'server_question'), part(payload, 'agent_question')];
  const asked = ofServer ?? ofAgent;
  if (asked === undefined || part(asked, 'sampling') !== undefined) return undefined;
  const [schemaJson, url, due] = [text(asked, 'schema_json'), text(asked, 'url'), text(payload, 'due_at')];
  const type = text(asked, 'type').replace('INPUT_TYPE_', '').toLowerCase();
  const expires = text(asked, 'expires_at') || due;
  const question: Question = {
    ...{ id: text(payload, 'input_id'), conversation, message: text(payload, 'prompt'), requestedAt: time },
    mode: type === 'file' ? 'file' : url === '' ? 'form' : 'url',
    ...(ofServer === undefined
      ? { by: 'agent', name: text(asked, 'agent') }
      : { by: 'server', name: text(asked, 'server') }),
    ...{ tool: text(asked, 'tool'), node: text(asked, 'node') },
    ...(schemaJson === '' ? {} : { schema: valueIn(schemaJson) }),
    ...(url === '' ? {} : { url }),
    ...(type === '' ? {} : { type }),
    ...(expires === '' ? {} : { expiresAt: expires }),
    isOptional: ofAgent !== undefined && asked.required !== true,
  };
  return question;
}

const hows: Readonly<Record<string, Outcome['how']>> = {
  INPUT_ACTION_ACCEPT: 'accept',
  INPUT_ACTION_DECLINE: 'decline',
};

/** What an answer on the record came to. `by`: who gave it, as they are named on the page. */
export function outcomeIn({ payload, time }: Pick<LogEvent, 'payload' | 'time'>, by: string): Outcome {
  const content = text(payload, 'content_json');
  return {
    ...{ how: hows[text(payload, 'action')] ?? 'cancel', by, at: time },
    ...(content === '' ? {} : { content: valueIn(content) }),
  };
}

function valueIn(json: string): ExactValue {
  try {
    return parseExact(json) as ExactValue;
  } catch {
    return json;
  }
}
