// A model without any delay that speaks Gemini's streaming wire format: "erase …" makes it call the tool of that name
// (there may be an "erase_slowly", too), a tool's result makes it say that it is done, anything else is answered with a word.
// While the last words of the user begin with "wait <ms>" it takes so long for each answer; after a comma may follow what it is
// to do. A node of a tree erases what its prompt says ("You erase …") or says a word. It measures its own time.
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

type Part = {
  readonly text?: string;
  readonly functionCall?: { readonly name: string; readonly args: object };
  readonly functionResponse?: object;
};
type Request = {
  readonly systemInstruction?: { readonly parts?: readonly Part[] };
  readonly contents: readonly { readonly role?: string; readonly parts: readonly Part[] }[];
};

let spentMs = 0;

function answerTo({ contents, systemInstruction }: Request): Part {
  const last = contents.at(-1)?.parts.at(-1);
  if (last?.functionResponse !== undefined) return { text: 'The note is erased.' };
  const prompt = systemInstruction?.parts?.at(-1)?.text ?? '';
  const ofNode = /^You erase (\S+) of what is asked/.exec(prompt)?.[1];
  if (ofNode !== undefined) return { functionCall: { name: 'erase', args: { note: `${last?.text} ${ofNode}` } } };
  const [, name, note] = /^(?:wait \d+, )?(erase\w*) (\S+)/.exec(last?.text ?? '') ?? [];
  return name === undefined ? { text: 'Noted.' } : { functionCall: { name, args: { note } } };
}

/** Milliseconds that the user wants it to take; 0 if nothing is said of it. */
function waitMsOf({ contents }: Request): number {
  const said = contents.findLast(({ role, parts }) => role === 'user' && parts.at(-1)?.text !== undefined);
  return Number(/^wait (\d+)/.exec(said?.parts.at(-1)?.text ?? '')?.[1] ?? 0);
}

function eventOf(part: Part): string {
  const frame = {
    candidates: [{ content: { role: 'model', parts: [part] }, finishReason: 'STOP', index: 0 }],
    usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 5, totalTokenCount: 15 },
    modelVersion: 'bench',
  };
  return `data: ${JSON.stringify(frame)}\r\n\r\n`;
}

function send(response: ServerResponse, type: string, body: string): void {
  response.writeHead(200, { 'content-type': type, 'content-length': Buffer.byteLength(body) }).end(body);
}

const server = createServer((request, response) => {
  if (request.url === '/spent') return send(response, 'application/json', JSON.stringify({ spentMs }));
  const began = performance.now();
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    const body = JSON.parse(Buffer.concat(chunks).toString('utf8')) as Request;
    const answer = (): void => {
      send(response, 'text/event-stream', eventOf(answerTo(body)));
      spentMs += performance.now() - began;
    };
    const waitMs = waitMsOf(body);
    if (waitMs === 0) answer();
    else setTimeout(answer, waitMs);
  });
});
// A connection that rests for a while is not closed: whoever holds it goes on with it.
server.keepAliveTimeout = 0;
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`listening on http://127.0.0.1:${(server.address() as AddressInfo).port}\n`);
});
