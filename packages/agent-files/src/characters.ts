import { firstHidden } from '@stopgo/core';
import type { YamlPath } from '@stopgo/runtime/yaml';
import type { Remark } from './own-fields.ts';

/** A character that no text may hold, in words; undefined if there is none. */
export function unsoundIn(text: string): { readonly what: string; readonly index: number } | undefined {
  const found = /\0|\p{Surrogate}/u.exec(text);
  if (found === null) return undefined;
  const what = found[0] === '\0' ? 'a NUL character' : 'half of a surrogate pair, which is no character';
  return { what, index: found.index };
}

/** The first character that a reader does not see and a model does, as Unicode names it; undefined if there is none. */
export function hiddenIn(text: string): { readonly what: string; readonly index: number } | undefined {
  const hidden = firstHidden(text);
  if (hidden === undefined) return undefined;
  const what = `U+${hidden.toString(16).toUpperCase().padStart(4, '0')}, which people do not see and a model reads`;
  return { what, index: text.indexOf(String.fromCodePoint(hidden)) };
}

/** What is said of the characters of all texts and keys of a frontmatter. */
export function characterRemarks(
  value: unknown,
  place: YamlPath = [],
): { readonly problems: readonly Remark[]; readonly warnings: readonly Remark[] } {
  const problems: Remark[] = [];
  const warnings: Remark[] = [];
  const walk = (one: unknown, at: YamlPath): void => {
    if (typeof one === 'string') {
      const [unsound, hidden] = [unsoundIn(one), hiddenIn(one)];
      if (unsound !== undefined) problems.push({ message: `it holds ${unsound.what}; remove it`, place: at });
      else if (hidden !== undefined) warnings.push({ message: `it holds ${hidden.what}; remove it`, place: at });
    } else if (typeof one === 'object' && one !== null) {
      for (const [key, inner] of Object.entries(one)) {
        if (unsoundIn(key) !== undefined)
          problems.push({ message: 'a key holds what is no character; remove it', place: at });
        else if (key === '__proto__' && at.length > 0)
          problems.push({ message: 'a key is called __proto__, which cannot be a name; remove it', place: at });
        else walk(inner, [...at, Array.isArray(one) ? Number(key) : key]);
      }
    }
  };
  walk(value, place);
  return { problems, warnings };
}
