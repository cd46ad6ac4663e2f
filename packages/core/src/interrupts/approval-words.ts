import { facts } from '@stopgo/proto';

const kinds: Readonly<Partial<Record<facts.ApprovalKind, string>>> = {
  [facts.ApprovalKind.TOOL]: 'tool',
  [facts.ApprovalKind.DELEGATION]: 'delegation',
  [facts.ApprovalKind.PROXY]: 'proxy',
  [facts.ApprovalKind.IN_DOUBT]: 'in_doubt',
};

/** What an approval is about, in the word that every surface shows. */
export const approvalKindWord = (kind: facts.ApprovalKind): string => kinds[kind] ?? 'unknown';
