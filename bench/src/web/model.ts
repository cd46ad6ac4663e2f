// A model that speaks Gemini's streaming wire format and writes as models do: an answer of markdown at once, or, where it is asked to
// write for long, piece by piece. "erase …" makes it call the tool of that name.
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

/** Between two pieces of a long answer, in milliseconds: fifty a second, as fast models do. */
const pieceMs = 20;

type Part = { readonly text: string } | { readonly functionCall: { readonly name: string; readonly args: object } };
type Request = { readonly contents: readonly { readonly parts: readonly { readonly text?: string }[] }[] };

/** Answers of the shapes that models give; the number makes each another one. */
export function answerOf(number: number): string {
  const shapes = [
    `The total of section ${number} is **${number * 37}**, which is what the list says, too.`,
    `Here is what I found for section ${number}:\n\n1. The first number is \`${number}\`.\n2. The second one is *twice* as much.\n3. The rest is [in the list](https://example.com/${number}).`,
    `Section ${number} in short:\n\n\`\`\`ts\nconst total = ${number};\nconsole.log(total * 2);\n\`\`\`\n\nRun it, and compare it with the number before.`,
    `| name | value |\n| --- | ---: |\n| first of ${number} | ${number} |\n| second | ${number * 2} |\n\nBoth agree with what was copied last week, so nothing needs to be done about them.`,
  ];
  return shapes[number % shapes.length] ?? '';
}

/** Starts it on a free port of this machine. */
export async function startWritingModel(): Promise<{ readonly address: string; stop(): void }> {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => void answer(JSON.parse(Buffer.concat(chunks).toString('utf8')) as Request, response));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

async function answer({ contents }: Request, response: ServerResponse): Promise<void> {
  const said = contents.at(-1)?.parts.at(-1)?.text ?? '';
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const [, note] = /^erase (\S+)/.exec(said) ?? [];
  const [, pieces] = /^write (\d+)/.exec(said) ?? [];
  const send = (part: Part): void => {
    response.write(eventOf(part));
  };
  if (note !== undefined) send({ functionCall: { name: 'erase', args: { note } } });
  else if (pieces === undefined) send({ text: answerOf(Number(/\d+/.exec(said)?.[0] ?? 0)) });
  else
    for (let piece = 0; piece < Number(pieces) && !response.destroyed; piece += 1) {
      send({ text: piece % 12 === 11 ? `of piece ${piece}.\n\n` : `and **so** on with \`${piece}\` ` });
      await delay(pieceMs);
    }
  response.end();
}

function eventOf(part: Part): string {
  const frame = {
    candidates: [{ content: { role: 'model', parts: [part] }, finishReason: 'STOP', index: 0 }],
    usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 5, totalTokenCount: 15 },
    modelVersion: 'bench',
  };
  return `data: ${JSON.stringify(frame)}\r\n\r\n`;
}
