import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import type { Note, WrittenServer } from './acknowledged.ts';
import { writeConfiguration } from './configuration.ts';
import { fromSource, Program } from './program.ts';
import type { Undo } from './undo.ts';

/** Clients that talk to the platform at the same time. */
const clientsAtOnce = 8;

export type PlatformPlace = {
  /** For its configuration and its tools, which are not what is tested. */
  readonly folder: string;
  /** On the disk that is cut. */
  readonly dataDir: string;
  readonly modelUrl: string;
};

type Answer = {
  readonly conversation: { readonly id: string; readonly revision: number };
  readonly result: { readonly approval?: { readonly uuid: string } };
};

/** The whole platform in one process, as `stopgo start` runs it. */
export async function startPlatform(
  { folder, dataDir, modelUrl }: PlatformPlace,
  undo: Undo,
  options: { readonly env?: Readonly<Record<string, string>>; readonly preloads?: readonly string[] } = {},
): Promise<WrittenServer> {
  const database = join(mkdtempSync(join(folder, 'tools-')), 'resources.db');
  const [command, ...args] = fromSource('mcp-servers/resources/src/main.ts', ['--db', database]);
  const config = writeConfiguration(folder, dataDir, { mcp_servers: [{ name: 'resources', command, args }] });
  const program = await Program.start(
    fromSource('cli/src/main.ts', ['start', '--config', config], options.preloads),
    {
      env: { GEMINI_API_KEY: 'test-key-gemini-0123456789', GEMINI_BASE_URL: modelUrl, ...options.env },
      ready: /ready on http:\S+\s/,
    },
    undo,
  );
  const url = program.captured(/ready on (http:\S+)/);
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
    pids: [program.pid],
    async write(note) {
      await Promise.allSettled(Array.from({ length: clientsAtOnce }, () => talk(note)));
    },
    kill: () => program.kill(),
  };
}
