import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A model that speaks Gemini's streaming wire format: it answers at once, or writes what the test has it write, when it does. */
export type WritingModel = {
  /** What the platform needs in its environment to take it for the offline model. */
  readonly env: Readonly<Record<string, string>>;
  /** Writes a piece of the answer to the message that began with `write`; waits for that message if need be. */
  piece(text: string): Promise<void>;
  /** Ends that answer. */
  end(): Promise<void>;
  stop(): void;
};

type Request = { readonly contents: readonly { readonly parts: readonly { readonly text?: string }[] }[] };

/** Starts it. `answer` gives what is said at once to a message. */
export async function startWritingModel(answer: (message: string) => string): Promise<WritingModel> {
  let begun: (response: ServerResponse) => void;
  let writing: Promise<ServerResponse>;
  const wait = (): void => {
    writing = new Promise((resolve) => {
      begun = resolve;
    });
  };
  wait();
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { contents } = JSON.parse(Buffer.concat(chunks).toString('utf8')) as Request;
      const message = contents.at(-1)?.parts.at(-1)?.text ?? '';
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      if (message.startsWith('write')) begun(response);
      else response.end(eventOf(answer(message)));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    env: { STOPGO_OFFLINE_MODEL: `http://127.0.0.1:${port}` },
    piece: async (text) => {
      (await writing).write(eventOf(text));
    },
    end: async () => {
      (await writing).end();
      wait();
    },
    stop: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

function eventOf(text: string): string {
  const frame = {
    candidates: [{ content: { role: 'model', parts: [{ text }] }, finishReason: 'STOP', index: 0 }],
    usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 5, totalTokenCount: 15 },
    modelVersion: 'tested',
  };
  return `data: ${JSON.stringify(frame)}\r\n\r\n`;
}
