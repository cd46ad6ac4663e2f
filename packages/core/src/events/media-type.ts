import { mediaTypeCharactersMax } from '../text/bounds.ts';

/** What stands at the beginning of files of a type, at a place in bytes, as latin1. */
type Mark = { readonly type: string; readonly marks: readonly (readonly [at: number, text: string])[] };

const known: readonly Mark[] = [
  { type: 'image/png', marks: [[0, '\x89PNG\r\n\x1a\n']] },
  { type: 'image/jpeg', marks: [[0, '\xff\xd8\xff']] },
  { type: 'image/gif', marks: [[0, 'GIF8']] },
  {
    type: 'image/webp',
    marks: [
      [0, 'RIFF'],
      [8, 'WEBP'],
    ],
  },
  { type: 'application/pdf', marks: [[0, '%PDF-']] },
  {
    type: 'audio/wav',
    marks: [
      [0, 'RIFF'],
      [8, 'WAVE'],
    ],
  },
  { type: 'audio/mpeg', marks: [[0, 'ID3']] },
];

/** Of these types bytes are only if they begin as such: models refuse a request with others, browsers may take them for a page. */
const mustShow: ReadonlySet<string> = new Set([
  'image/png',
  'image/jpeg',
  'image/gif',
  'image/webp',
  'application/pdf',
]);

const otherNames: Readonly<Record<string, string>> = {
  'image/jpg': 'image/jpeg',
  'audio/x-wav': 'audio/wav',
  'audio/wave': 'audio/wav',
  'audio/mp3': 'audio/mpeg',
};

const anyBytes = 'application/octet-stream';
const wellFormed = /^[a-z0-9][a-z0-9!#$&^_.+-]*\/[a-z0-9][a-z0-9!#$&^_.+-]*$/;

/** The type of some bytes: what they show that they are, else what whoever gives them says, if that can be. Without parameters, in lower case. */
export function mediaTypeOf(bytes: Buffer, declared: string): string {
  const beginning = bytes.toString('latin1', 0, 16);
  const shown = known.find(({ marks }) => marks.every(([at, text]) => beginning.startsWith(text, at)));
  if (shown !== undefined) return shown.type;
  const said = (declared.split(';', 1)[0] ?? '').trim().toLowerCase();
  const type = otherNames[said] ?? said;
  return type.length <= mediaTypeCharactersMax && wellFormed.test(type) && !mustShow.has(type) ? type : anyBytes;
}
