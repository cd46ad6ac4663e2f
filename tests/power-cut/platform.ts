import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import type { Note, WrittenServer } from './acknowledged.ts';
import { writeConfiguration } from './configuration.ts';
import { fromSource, Program } from './program.ts';
import type { Undo } from './undo.ts';

/** Clients that talk to the platform at the same time. */
const clientsAtOnce = 8;

export type PlatformOptions = {
  /** For its configuration and its tools, which are not what is tested. */
  readonly folder: string;
  /** On the disk that is cut. */
  readonly dataDir: string;
  readonly modelUrl: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly preloads?: readonly string[];
};

type Answer = {
  readonly conversation: { readonly id: string; readonly revision: number };
  readonly result: { readonly approval?: { readonly uuid: string } };
};

/** The whole platform: in one process, or each service as its own. */
export async function startPlatform(
  command: 'start' | 'services',
  options: PlatformOptions,
  undo: Undo,
): Promise<WrittenServer> {
  const { folder, dataDir, modelUrl, env = {}, preloads = [] } = options;
  const database = join(mkdtempSync(join(folder, 'tools-')), 'resources.db');
  const [tool, ...args] = fromSource('mcp-servers/resources/src/main.ts', ['--db', database]);
  const config = writeConfiguration(folder, dataDir, {
    mcp_servers: [{ name: 'resources', command: tool, args }],
  });
  const program = await Program.start(
    fromSource('cli/src/main.ts', [command, '--config', config], preloads),
    {
      env: { GEMINI_API_KEY: 'test-key-gemini-0123456789', GEMINI_BASE_URL: modelUrl, ...env },
      ready: /ready on http:\S+ after /,
    },
    undo,
  );
  const url = program.captured(/ready on (http:\S+) after /);
  const post = async (path: string, body: unknown, note: Note): Promise<Answer> => {
    const response = await fetch(url + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${path} was answered with ${response.status}: ${text}`);
    const answer = JSON.parse(text) as Answer;
    const { id, revision } = answer.conversation;
    note({ stream: `conversation-${id}`, revision });
    return answer;
  };
  // Each answer shows the conversation at a revision, and so answers for all events up to it.
  const talk = async (note: Note): Promise<void> => {
    for (let count = 1; ; count += 1) {
      const asked = await post('/conversations', { message: `create a server cut-${count} with value ${count}` }, note);
      const uuid = asked.result.approval?.uuid;
      if (uuid === undefined) throw new Error('the platform did not ask for an approval');
      await post(`/approvals/${uuid}`, { approved: true }, note);
    }
  };
  return {
    pids: () => program.pids(),
    async write(note) {
      await Promise.allSettled(Array.from({ length: clientsAtOnce }, () => talk(note)));
    },
    kill: () => program.kill(),
  };
}
