/*
 * Names that a reader cannot tell apart (decision 0041): a small part of the skeletons of Unicode Technical Standard 39, for
 * Latin, Cyrillic, Greek, Cherokee, Lisu and a few Armenian letters, full-width and styled forms (NFKC), case, and what is not seen
 * at all.
 */

/** Cherokee. Its small letters look as its capitals do, only smaller. */
const cherokee: readonly [string, string] = ['ᎠᎡᎢᎥᎩᎪᎫᎬᎳᎷᎻᎽᏀᏂᏃᏎᏏᏒᏔᏕᏙᏚᏞᏟᏢᏦᏧᏳᏴ', 'DRTiYAJEWMHYGhZ4bRWSVSLCPKdGB'];

/** Letters, and what each is taken for, in the same place. Upper and lower case of one letter are taken for the same. */
const letters: readonly (readonly [string, string])[] = [
  // Cyrillic
  ['АВЕЁКМНОРСТУХІЇЈЅѴҺԀԚԜӀ', 'ABEËKMHOPCTYXIÏJSVHDQWI'],
  ['авеёкмнорстухіїјѕѵһԁԛԝӏ', 'abeëkmhopctyxiïjsvhdqwl'],
  // Greek
  ['ΑΒΕΖΗΙΚΜΝΟΡΤΥΧ', 'ABEZHIKMNOPTYX'],
  ['αβεζηικμνορτυχγσω', 'abezhikmvoptyxyow'],
  cherokee,
  [cherokee[0].toLowerCase(), cherokee[1].toLowerCase()],
  // Lisu, with its tone letters
  ['ꓐꓑꓒꓓꓔꓖꓗꓙꓚꓜꓝꓟꓠꓡꓢꓣꓦꓧꓪꓫꓬꓮꓰꓲꓳꓴꓸꓹꓽ', 'BPdDTGKJCZFMNLSRVHWXYAEIOU.,:'],
  // Armenian, and Latin letters beside the alphabet
  ['օսոհցզ', 'ounhgq'],
  ['ıɑɡɩ', 'iagi'],
  ['‐‑‒–—−', '------'],
];

const takenFor: ReadonlyMap<string, string> = new Map(
  letters.flatMap(([from, to]) => [...from].map((letter, index) => [letter, [...to][index] ?? letter] as const)),
);

/**
 * Keys of a name: two names of which any key is the same look alike. One key is about the letters in any case; the other also about
 * shapes (`I`, `l`, `1` and `|`; `O` and `0`; `rn` and `m`).
 */
export function lookAlikeKeys(name: string): readonly string[] {
  const seen = [...name.replace(/[\p{Default_Ignorable_Code_Point}\p{Cc}]/gu, '').normalize('NFKC')];
  const folded = seen.map((letter) => takenFor.get(letter) ?? letter).join('');
  const shape = folded.replace(/[I1|]/g, 'l').replaceAll('0', 'o').toLowerCase().replaceAll('rn', 'm');
  return [`letters ${folded.toLowerCase()}`, `shape ${shape}`];
}

/** True for two different names that a reader takes for the same. */
export function looksAlike(one: string, other: string): boolean {
  const keys = lookAlikeKeys(one);
  return one !== other && lookAlikeKeys(other).some((key) => keys.includes(key));
}
