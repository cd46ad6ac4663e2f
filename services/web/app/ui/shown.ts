import { isDeceptive } from '@stopgo/core/visible';

// What text from outside looks like: nothing in it is hidden, and letters that pass for others are pointed out.

export type Piece =
  | { readonly kind: 'plain'; readonly text: string }
  | { readonly kind: 'hidden'; readonly text: string; readonly code: string }
  | { readonly kind: 'lookalike'; readonly text: string; readonly code: string };

/** Letters of other scripts that look like Latin ones. */
const twins = new Set('аеорсухіјѕһԁԛԝьАВЕКМНОРСТУХІЈЅԌԜαινορυχΑΒΕΖΗΙΚΜΝΟΡΤΥΧօսոհՕՍ');
const latin = /\p{Script=Latin}/u;
const otherLetter = /\p{Script=Cyrillic}|\p{Script=Greek}|\p{Script=Armenian}|\p{Script=Cherokee}/u;
/** Letters of the Latin script in a form that programs tell from the plain one. */
const styled = /[\u{ff21}-\u{ff3a}\u{ff41}-\u{ff5a}\u{1d400}-\u{1d7ff}]/u;
const word = /[\p{L}\p{M}\p{N}_.@-]+/gu;

/** The text in pieces: what is plain, what would not be seen, and what would be taken for something else. */
export function piecesOf(text: string): readonly Piece[] {
  const lookalikes = lookalikesIn(text);
  const pieces: Piece[] = [];
  let plain = '';
  let index = 0;
  const flush = () => {
    if (plain !== '') pieces.push({ kind: 'plain', text: plain });
    plain = '';
  };
  for (const character of text) {
    const code = character.codePointAt(0) ?? 0;
    const kind = isDeceptive(code) ? 'hidden' : lookalikes.has(index) ? 'lookalike' : undefined;
    index += character.length;
    if (kind === undefined) {
      plain += character;
      continue;
    }
    flush();
    pieces.push({ kind, text: character, code: `U+${code.toString(16).toUpperCase().padStart(4, '0')}` });
  }
  flush();
  return pieces;
}

/** Where letters stand that pass for Latin ones: among Latin letters of one word, or where a text has no other letters of their script. */
function lookalikesIn(text: string): ReadonlySet<number> {
  const found = new Set<number>();
  if (!otherLetter.test(text) && !styled.test(text)) return found;
  const isDisguise = [...text].every((one) => !otherLetter.test(one) || twins.has(one));
  for (const match of text.matchAll(word)) {
    const isMixed = latin.test(match[0]) && otherLetter.test(match[0]);
    let index = match.index;
    for (const character of match[0]) {
      const isOther = otherLetter.test(character);
      if ((isOther && (isMixed || isDisguise)) || styled.test(character)) found.add(index);
      index += character.length;
    }
  }
  return found;
}
