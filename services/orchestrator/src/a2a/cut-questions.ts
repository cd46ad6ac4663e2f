import { byteLength, cutText, descriptionBytesMax, type RemoteQuestion } from '@stopgo/core';

/** Bytes that are left of words that are too long: the rest of what is shown of a question is for what is said of them here. */
export const questionWordsBytesMax = descriptionBytesMax - 2 * 1024;

/** Whole for as long as that fits: only so can they be known to say no more than the call itself. */
function shownOf(text: string): string {
  return byteLength(text) <= descriptionBytesMax ? text : cutText(text, questionWordsBytesMax).text;
}

/**
 * What an agent says, its questions as long as they can be shown: the mark of what is cut binds the whole. Only for what holds
 * no token any more: half of one is not found.
 */
export function cutQuestions<T extends { readonly questions?: readonly RemoteQuestion[] }>(said: T): T {
  if (said.questions === undefined) return said;
  // The words of a message may be those of all its questions.
  const known = new Map<string, string>();
  const cut = (text: string): string => {
    const shown = known.get(text) ?? shownOf(text);
    known.set(text, shown);
    return shown;
  };
  return { ...said, questions: said.questions.map((one) => ({ ...one, prompt: cut(one.prompt) })) };
}
