const SHORT_ESCAPES: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

/**
 * Characters that could forge a log line or drive a terminal: control characters, line and paragraph separators,
 * invisible and text-direction marks, halves of a surrogate pair.
 */
const UNPRINTABLE = /[\p{Cc}\p{Zl}\p{Zp}\p{Cs}\u061c\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/gu;

/** The text with every unprintable character written as an escape (`\n`, `\u001b`): always one harmless line. */
export function escapeUnprintable(text: string): string {
  return text.replace(
    UNPRINTABLE,
    (character) => SHORT_ESCAPES[character] ?? `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
