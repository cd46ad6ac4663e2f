import { freePort } from '../free-ports.ts';
import { type Answer, type Client, client, until } from './http.ts';
import { type Journal, journalOf } from './journal.ts';
import { type ScriptedModel, scriptedModel } from './model.ts';
import { type Platform, root, type StartOptions, start, type Workplace, workplace } from './platform.ts';

/** An agent of a chain: a platform of its own, at an address that it keeps. */
export type ChainedAgent = {
  readonly url: string;
  readonly model: ScriptedModel;
  readonly journal: Journal;
  readonly platform: Platform;
  readonly http: Client;
  down(signal: 'SIGTERM' | 'SIGKILL'): Promise<void>;
  up(): Promise<void>;
  /** The approvals that are pending here, once there are so many. */
  pending(count?: number): Promise<readonly PendingApproval[]>;
  /** The conversation once its run is neither worked on nor waits. */
  over(id: string): Promise<Answer>;
  end(): Promise<void>;
};

export type PendingApproval = Readonly<Record<string, unknown>> & {
  readonly uuid: string;
  readonly conversation_id: string;
};

/** Starts an agent of these lines of configuration, made with its address, with the journaled tool server. */
export async function chained(
  lines: Readonly<Record<string, unknown>> | ((address: string) => Readonly<Record<string, unknown>>),
  options: Pick<StartOptions, 'command' | 'args' | 'asProcess'> = {},
): Promise<ChainedAgent> {
  const place: Workplace = workplace();
  const journal = journalOf(place);
  const model = await scriptedModel();
  const port = await freePort();
  const config = typeof lines === 'function' ? lines(`http://127.0.0.1:${port}`) : lines;
  const all = {
    host: '127.0.0.1',
    port,
    data_dir: place.dataDir,
    mcp_servers: [
      {
        name: 'journaled',
        command: 'node',
        args: [`${root}/tests/e2e/fixtures/tools.mjs`, `${place.folder}/tools/journal`],
      },
    ],
    ...config,
  };
  const run = () => start(place, JSON.stringify(all), { env: model.env, command: 'start', ...options });
  let platform = await run();
  const http = client(platform.url);
  return {
    url: `${platform.url}/a2a`,
    model,
    journal,
    get platform() {
      return platform;
    },
    http,
    down: async (signal) => void (await platform.end(signal)),
    up: async () => {
      platform = await run();
    },
    pending: (count = 1) =>
      until(`${count} approvals are pending at ${String(config.name)}`, async () => {
        const answer = await http.get('/approvals?status=pending').catch(() => undefined);
        const approvals = ((answer?.body as Readonly<Record<string, unknown>> | undefined)?.approvals ??
          []) as readonly PendingApproval[];
        return approvals.length === count ? approvals : undefined;
      }),
    over: (id) =>
      until(`${id} is over`, async () => {
        const answer = await http.get(`/conversations/${id}`).catch(() => undefined);
        const status = answer?.body.conversation.run?.status;
        return answer === undefined || status === 'working' || status === 'waiting' ? undefined : answer;
      }),
    end: async () => {
      await platform.discard();
      await model.stop();
      place.remove();
    },
  };
}
