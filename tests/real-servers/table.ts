import type { Found } from './try-servers.ts';

/** The page that tells of a run. `together`: what came of those that were started at once. */
export function page(found: readonly Found[], together: readonly Found[], node: string, day: string): string {
  const connected = found.filter(({ outcome }) => outcome.kind === 'connected').length;
  return `# Real tool servers

Tool servers of the npm registry, each started by \`npx\` from an empty cache, by the platform as it is: \`npm run test:real-servers\` tries
them one after the other and writes this page. It needs the registry, takes half an hour, and is no part of \`npm run verify\`.

Of ${found.length} servers ${connected} connected on ${day}, with Node ${node}. Keys that they want are made up: what is tried is whether they start, what they list, and
one harmless call where there is one that needs neither an account nor a network.

- **era**: the MCP protocol that was agreed on.
- **tools**: offered to models, held until somebody accepts them, left out with the reason.
- **ask**: tools that wait for an approval, because they say that they destroy something (with the defaults: \`unannotated: run\`).
- **definitions**: what all its tools take in each request to a model, in KB: names, descriptions, schemas.

| package | era | tools | ask | definitions | a call | start |
| --- | --- | --- | --- | --- | --- | --- |
${found.map(row).join('\n')}

${notes(found)}## All at once

${sentenceOf(together)}

## A screenshot

With a Chromium on the machine, \`npm run test:screenshot\` has an agent open a page of this machine with the Playwright server and take a
screenshot of it, and compares what its model is given with what REST serves: the same PNG, as \`inlineData\` to Gemini, as an image block
to Claude, as an \`image_url\` to OpenAI.
`;
}

function row({ server, outcome, startMs }: Found): string {
  const name = `\`${server.package}\``;
  const seconds = `${Math.round(startMs / 1_000)} s`;
  if (outcome.kind === 'refused') return `| ${name} | not connected: ${cell(outcome.reason)} | | | | | ${seconds} |`;
  const { era, offered, held, leftOut, asks, definitionBytes, call } = outcome;
  const tools = [
    String(offered),
    ...(held === 0 ? [] : [`${held} held`]),
    ...(leftOut.length === 0 ? [] : [`${leftOut.length} left out`]),
  ].join(', ');
  return `| ${name} | ${era} | ${tools} | ${asks} | ${kilobytes(definitionBytes)} | ${cell(call ?? '')} | ${seconds} |`;
}

/** What the servers were told apart for: tools that are left out, problems. */
function notes(found: readonly Found[]): string {
  const lines = found.flatMap(({ server, outcome }) =>
    outcome.kind === 'connected' ? outcome.problems.map((problem) => `- \`${server.package}\`: ${cell(problem)}`) : [],
  );
  return lines.length === 0
    ? ''
    : `What \`GET /mcp/servers\` says of their tools (\`problems\`):\n\n${lines.join('\n')}\n\n`;
}

function sentenceOf(together: readonly Found[]): string {
  const names = together.map(({ server }) => server.name).join(', ');
  const seconds = Math.round(Math.max(0, ...together.map(({ startMs }) => startMs)) / 1_000);
  const refused = together.find(({ outcome }) => outcome.kind === 'refused');
  if (refused?.outcome.kind === 'refused')
    return `An agent with ${names} did not start: ${cell(refused.outcome.reason)}`;
  const sum = (of: (one: Extract<Found['outcome'], { kind: 'connected' }>) => number) =>
    together.reduce((all, { outcome }) => all + (outcome.kind === 'connected' ? of(outcome) : 0), 0);
  return (
    `An agent with ${names} starts from an empty cache in ${seconds} s and offers ${sum(({ offered }) => offered)} tools, whose ` +
    `definitions take ${kilobytes(sum(({ definitionBytes }) => definitionBytes))} of each request.`
  );
}

const kilobytes = (bytes: number) => `${(bytes / 1_000).toFixed(1)} KB`;

/** One line that does not end its cell, and looks the same on every machine. */
function cell(text: string): string {
  const line = text
    .replaceAll(/\s+/g, ' ')
    .replaceAll('|', '\\|')
    .replaceAll(/\/tmp\/stopgo-real-\w+/g, '…')
    // What a server says of the machine is not about the server.
    .replaceAll(/\blinux \d[\w.-]*/g, 'linux …');
  return line.length > 400 ? `${line.slice(0, 400)}…` : line;
}
