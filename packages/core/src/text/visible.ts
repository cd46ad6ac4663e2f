/*
 * What text from outside looks like to people, and to models (decision 0041). Every surface that shows such text uses these
 * functions: what is not seen for what it is appears as `\u{…}`.
 */

/**
 * Code points that are not seen for what they are: control characters, line and paragraph separators, halves of surrogate pairs,
 * everything that Unicode lets a font leave out (`Default_Ignorable_Code_Point`: bidirectional controls, zero-width characters,
 * variation selectors, tags, fillers), noncharacters, and a few marks that have no glyph of their own.
 */
const deceptive =
  '\\p{Cc}\\p{Zl}\\p{Zp}\\p{Cs}\\p{Default_Ignorable_Code_Point}\\p{Noncharacter_Code_Point}\\u2800\\ufff9-\\ufffb\\u{13430}-\\u{1343f}';
/** VS16 asks for the colored form of the emoji before it, or of the keycap that it stands in. It hides nothing there. */
const emojiSelector = '(?<=(?!\\p{ASCII})\\p{Emoji})\\ufe0f|(?<=[0-9#*])\\ufe0f(?=\\u20e3)';
/** Marks at the start of a text would be drawn over what stands before it; long runs of them over the lines around. */
const strayMark = '(?<![^\\n\\t])\\p{M}|(?<=\\p{M}{8})\\p{M}';

const oneDeceptive = new RegExp(`^[${deceptive}]$`, 'u');
/** In JSON a text stands behind a quotation mark. */
const deceptiveInJson = new RegExp(`(?![\\n\\t])[${deceptive}]|(?<="|\\p{M}{8})\\p{M}`, 'gu');
const otherThanPlain = /[^\x20-\x7e\n\t]/;
const hidden = new RegExp(`(?!${emojiSelector})(?![\\n\\t])[${deceptive}]|${strayMark}`, 'gu');

/**
 * Text of any number of lines with everything made visible that could deceive a reader. Line breaks, tabs, and the selector of an
 * emoji stay. Where a line must not be taken for another one of ours, use `visibleLine` or `quotedLines`.
 */
export function visibleText(text: string): string {
  return text.replace(hidden, escaped);
}

/** The same as one line: line breaks are `\n`, tabs `\t`. */
export function visibleLine(text: string): string {
  return visibleText(text).replaceAll('\n', '\\n').replaceAll('\t', '\\t');
}

/** Text from outside as a block that no line of ours looks like: visible, each line behind `> `. */
export function quotedLines(text: string): string {
  return visibleText(text)
    .split('\n')
    .map((line) => `> ${line}`)
    .join('\n');
}

/** A name of letters, digits and a few signs as it is; any other one in double quotes, on one line. */
export function quotedName(name: string): string {
  return /^[\w.:/@-]+$/.test(name) ? name : `"${inQuotes(name)}"`;
}

/** A name in which look-alikes differ: everything but ASCII is escaped. In double quotes, on one line. */
export function spelledName(name: string): string {
  return `"${inQuotes(name).replace(/\P{ASCII}/gu, escaped)}"`;
}

/** Backslashes first: in quotes, what was escaped must not look like what was written so. */
export function inQuotes(name: string): string {
  return visibleLine(name.replaceAll('\\', '\\\\').replaceAll('"', '\\"'));
}

/**
 * An http or https address as it is, if it is plain ASCII and names its host as it is; else as the URL standard reads it, its host
 * in ASCII (punycode), so that no host looks like another. What is no URL is one visible line.
 */
export function visibleUrl(text: string): string {
  if (!/^https?:/i.test(text) || !URL.canParse(text)) return visibleLine(text);
  const url = new URL(text);
  const isPlain = /^[\x21-\x5b\x5d-\x7e]+$/.test(text) && text.toLowerCase().startsWith(`${url.protocol}//${url.host}`);
  return isPlain ? text : url.href;
}

/** JSON text of the same value in which no character is left that is not seen for what it is. */
export function visibleJson(json: string): string {
  // Most of it is plain, which is found out at a fraction of what it costs to look for all that could be hidden.
  if (!otherThanPlain.test(json)) return json;
  return json.replace(deceptiveInJson, (character) => {
    const units = Array.from({ length: character.length }, (_, index) => character.charCodeAt(index));
    return units.map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join('');
  });
}

/** True for a code point that is not seen for what it is, wherever it stands (see `visibleText`). */
export function isDeceptive(code: number): boolean {
  return code !== 0x0a && code !== 0x09 && oneDeceptive.test(String.fromCodePoint(code));
}

/** Letters of scripts in which a joiner changes what is seen. */
const joining =
  '(?![\\p{sc=Latin}\\p{sc=Greek}\\p{sc=Cyrillic}\\p{sc=Han}\\p{sc=Hira}\\p{sc=Kana}\\p{sc=Hang}])[\\p{L}\\p{M}]';
/** Marks after which a joiner always shapes what is seen, also at the end of a word (RFC 5892, appendix A.1 and A.2). */
const viramas = '[\\u094d\\u09cd\\u0a4d\\u0acd\\u0b4d\\u0bcd\\u0c4d\\u0ccd\\u0d4d\\u0dca]';
const needed = [
  emojiSelector,
  `(?<=${joining})[\\u200c\\u200d](?=${joining})`,
  `(?<=${viramas})[\\u200c\\u200d](?![\\u200c\\u200d])`,
  '(?<=\\p{Extended_Pictographic}\\p{Emoji_Modifier}?\\ufe0f?)\\u200d(?=\\p{Extended_Pictographic})',
  '\\r(?=\\n)',
].join('|');
const hiddenFromReaders = new RegExp(`(?!${needed})(?![\\n\\t])[${deceptive}]`, 'gu');

/**
 * The first code point that a person does not see and a model reads; undefined if there is none. Joiners stay where they shape
 * what is seen, in emoji and in scripts that join.
 */
export function firstHidden(text: string): number | undefined {
  hiddenFromReaders.lastIndex = 0;
  return hiddenFromReaders.exec(text)?.[0].codePointAt(0);
}

/**
 * A tool's result as a model is told it: what a person would not see is written out, with a note before it. A function of the
 * text alone; text without such characters stays as it is.
 */
export function markedForModel(text: string): string {
  let count = 0;
  const marked = text.replace(hiddenFromReaders, (character) => {
    count += 1;
    return escaped(character);
  });
  const what = count === 1 ? '1 character' : `${count} characters`;
  return count === 0 ? text : `[${what} that people do not see: written as \\u{…} in what follows]\n${marked}`;
}

/** Words of one line as they are; several are quoted, since a line could pretend to be one of ours. */
export function spoken(text: string): string {
  return text.includes('\n') ? `\n${quotedLines(text)}` : text;
}

function escaped(character: string): string {
  return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
}
