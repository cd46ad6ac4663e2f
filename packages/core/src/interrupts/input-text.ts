import { facts as wire } from '@stopgo/proto';
import { type AskedField, askedFields } from '../calls/asked-values.ts';
import { quotedLines, quotedName, visibleLine, visibleUrl } from '../text/visible.ts';

/** How a question is answered: with values, by opening an address, or with a file. */
export const inputMode = ({ url, type }: { readonly url: string; readonly type: wire.InputType }) => {
  if (type === wire.InputType.FILE) return 'file';
  return url === '' ? 'form' : 'url';
};

/** What a client is told of a question that a tool server asks in the midst of a call, or an agent: who asks, in its words, and what is wanted. */
export function inputText(input: {
  readonly id: string;
  readonly server: string;
  /** The agent of this platform that asks; empty: the server does. */
  readonly agent: string;
  readonly tool: string;
  readonly message: string;
  readonly schemaJson: string;
  readonly url: string;
  readonly type: wire.InputType;
}): string {
  const { id, server, agent, tool, message, schemaJson, url, type } = input;
  const mode = inputMode({ url, type });
  const fields = mode === 'form' ? askedFields(schemaJson) : [];
  const asked = typeof fields === 'string' ? [] : fields.map(fieldText);
  const wanted = {
    form: asked.join('\n'),
    url: `It wants this address to be opened: ${visibleUrl(url)}`,
    file: 'It wants a file.',
  }[mode];
  const who =
    agent === ''
      ? `The server "${visibleLine(server)}" asks, in the midst of ${quotedName(tool)}`
      : `The agent ${quotedName(agent)} asks`;
  const head = `${who}:\n\n${quotedLines(message)}`;
  return `${head}${wanted === '' ? '' : `\n\n${wanted}`}\n\nPlease accept, decline or cancel. Input id: ${id}`;
}

function fieldText({ name, title, description, type, required, choices }: AskedField): string {
  const kind = choices === undefined ? type : choices.map((one) => `"${one}"`).join(', ');
  const label = title === name ? '' : ` ${title}`;
  const more = description === '' ? '' : `: ${description}`;
  return visibleLine(`- ${name}${label} (${kind}${required ? '' : ', optional'})${more}`);
}
