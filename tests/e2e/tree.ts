import { type Answer, type Client, client, until } from './http.ts';
import { type Journal, journalOf } from './journal.ts';
import { type ModelRequest, type ScriptedModel, scriptedModel } from './model.ts';
import { journaledConfig, type Platform, type StartOptions, start, type Workplace, workplace } from './platform.ts';

/** A platform of its own whose agent is a tree, with the journaled tool server beside that of the resources. */
export type PlantedTree = {
  readonly place: Workplace;
  readonly journal: Journal;
  readonly model: ScriptedModel;
  readonly platform: Platform;
  readonly http: Client;
  /** Ends the platform and starts it again over the same data; with another tree if one is given. To be killed it needs `asProcess`. */
  again(signal: 'SIGKILL' | 'SIGTERM', tree?: object): Promise<void>;
  /** Sends a first message. */
  ask(message: string, headers?: Record<string, string>): Promise<Answer>;
  decide(approval: string | undefined, approved: boolean): Promise<Answer>;
  /** What the models were asked in a step of the node whose instructions contain this, in the order of arrival. */
  asked(prompt: string): Promise<readonly ModelRequest[]>;
  /** The conversation, once its run is not worked on any more. */
  settled(id: string): Promise<Answer>;
  end(): Promise<void>;
};

export type PlantOptions = {
  /** Lines of YAML at the top level. */
  readonly more?: string;
  /** A line of YAML of the journaled tool server. */
  readonly ofServer?: string;
} & Pick<StartOptions, 'command' | 'args' | 'asProcess'>;

/** Starts it. */
export async function plant(tree: object, options: PlantOptions = {}): Promise<PlantedTree> {
  const { more = '', ofServer, ...how } = options;
  const model = await scriptedModel();
  const place = workplace();
  const journal = journalOf(place);
  const grow = (what: object): Promise<Platform> =>
    start(place, journaledConfig(place, `agent: ${JSON.stringify(what)}\n${more}`, ofServer), {
      env: model.env,
      ...how,
    });
  let platform = await grow(tree);
  let http = client(platform.url);
  return {
    place,
    journal,
    model,
    get platform() {
      return platform;
    },
    get http() {
      return http;
    },
    again: async (signal, other = tree) => {
      await platform.end(signal);
      platform = await grow(other);
      http = client(platform.url);
    },
    ask: (message, headers) => http.post('/conversations', { message }, headers),
    decide: (approval, approved) => http.post(`/approvals/${approval}`, { approved }),
    asked: async (prompt) => (await model.requests()).filter((request) => instructionsOf(request).includes(prompt)),
    settled: (id) =>
      until(`${id} has settled`, async () => {
        const answer = await http.get(`/conversations/${id}`);
        return answer.body.conversation.run?.status === 'working' ? undefined : answer;
      }),
    end: async () => {
      await platform.discard();
      await model.stop();
      place.remove();
    },
  };
}

/** The instructions in a request of any provider. */
export function instructionsOf({ body }: ModelRequest): string {
  const { systemInstruction, system, messages } = body as Readonly<Record<string, unknown>>;
  if (systemInstruction !== undefined) return JSON.stringify(systemInstruction);
  if (system !== undefined) return JSON.stringify(system);
  const [first] = Array.isArray(messages) ? (messages as readonly { role?: string; content?: unknown }[]) : [];
  return first?.role === 'system' ? JSON.stringify(first.content) : '';
}
