import { isDescriptionCut, type Json, visibleLine, visibleText } from '@stopgo/core';
import { dataPart, textPart } from './parts.ts';
import type { Part } from './protocol.ts';

/** The extension by which other agents ask for and give decisions. */
export const hitlExtension = 'https://kagent.dev/extensions/hitl/v1';

/** A pending approval as a peer is shown it. */
export type ShownApproval = {
  readonly id: string;
  readonly callId: string;
  readonly tool: string;
  /** Absent if they are not known, which is not the same as that there are none. */
  readonly arguments?: Json;
  readonly description: string;
  readonly kind: string;
  readonly choices: readonly string[];
  /** Of the tool; empty if there is none, or it is not known. */
  readonly server?: string;
  /** Agents on the way to the one that really asks, that one last; none if it is this one. */
  readonly agents?: readonly string[];
  /** When it is not waited for any more, in the form of RFC 3339. */
  readonly expiresAt?: string;
};

/** What is to be approved, as a text for people and a data part for programs, one for each approval. */
export function approvalParts(approvals: readonly ShownApproval[]): Part[] {
  return [textPart(approvals.map(asked).join('\n')), ...approvals.map((one) => dataPart(data(one)))];
}

/** What somebody is told whose answer decides nothing: how to decide on each. */
export function askAgain(approvals: readonly ShownApproval[]): Part[] {
  const how = approvals.map(answers).join('\n');
  const text = `That decides nothing. Answer with one of these lines for each approval:\n${how}`;
  return [textPart(`${text}\n\n${approvals.map(line).join('\n')}`), ...approvals.map((one) => dataPart(data(one)))];
}

/** Lines that decide, one for each choice. */
const answers = ({ id, choices }: ShownApproval): string =>
  choices.map((choice) => `${words[choice] ?? choice} ${id}`).join('\n') +
  (choices.includes('happened') ? `\n(what it came to may follow: "happened ${id}: the result")` : '');

const words: Readonly<Record<string, string>> = { approve: 'yes', reject: 'no' };

/** What is to be decided; where a plain yes or no does not do that, also how. */
const asked = (approval: ShownApproval): string => {
  const isPlain = approval.choices.includes('approve');
  return isPlain ? line(approval) : `${line(approval)}\n\nAnswer with one of these lines:\n${answers(approval)}`;
};

/** The request in the shape of the extension, for the metadata of the message. */
export const hitlRequest = (approvals: readonly ShownApproval[]): Json => ({
  type: 'tool_approval_request',
  hint: approvals.map(line).join('\n'),
  tools: approvals.map(({ id, callId, tool, arguments: args }) => ({
    id,
    call_id: callId,
    name: visibleLine(tool),
    args: args ?? {},
  })),
});

const line = ({ id, description }: ShownApproval): string =>
  `Approval required (id: ${id}): ${visibleText(description)}`;

const data = ({ id, tool, arguments: args, description, kind, choices, ...more }: ShownApproval): Json => {
  const { server = '', agents = [], expiresAt } = more;
  return {
    approval_id: id,
    kind,
    tool: visibleLine(tool),
    ...(server === '' ? {} : { server: visibleLine(server) }),
    ...(args === undefined ? {} : { arguments: args }),
    description: visibleText(description),
    ...(isDescriptionCut(description) ? { description_cut: true } : {}),
    choices,
    ...(agents.length === 0 ? {} : { agents: agents.map(visibleLine) }),
    ...(expiresAt === undefined ? {} : { expires_at: expiresAt }),
  };
};
