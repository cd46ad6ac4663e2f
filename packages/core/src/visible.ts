/**
 * Makes characters visible that could deceive a reader: control characters except line breaks and tabs, bidirectional
 * controls, zero-width characters, tags, and lone surrogates. They appear as `\u{…}`.
 */
export function visibleText(text: string): string {
  let out = '';
  for (const character of text) {
    const code = character.codePointAt(0) ?? 0;
    out += isDeceptive(code) ? `\\u{${code.toString(16)}}` : character;
  }
  return out;
}

/** True for a code point that is not seen for what it is (see `visibleText`). */
export function isDeceptive(code: number): boolean {
  if (code === 0x0a || code === 0x09) return false;
  return (
    code < 0x20 ||
    (code >= 0x7f && code <= 0x9f) ||
    code === 0xad ||
    code === 0x34f ||
    code === 0x61c ||
    code === 0x115f ||
    code === 0x1160 ||
    code === 0x180e ||
    (code >= 0x200b && code <= 0x200f) ||
    (code >= 0x2028 && code <= 0x202e) ||
    (code >= 0x2060 && code <= 0x206f) ||
    code === 0x2800 ||
    code === 0x3164 ||
    code === 0xfeff ||
    code === 0xffa0 ||
    (code >= 0xfff9 && code <= 0xfffb) ||
    (code >= 0xd800 && code <= 0xdfff) ||
    (code >= 0xe0000 && code <= 0xe0fff)
  );
}
