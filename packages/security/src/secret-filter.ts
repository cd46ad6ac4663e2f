// Takes secrets that are known out of texts of others: what models, tools, agents and libraries answer may repeat what they were
// sent, as it was or as JSON, an address or a header spells it.

/** Stands wherever a secret stood. */
export const secretMark = '[secret]';

/** Shorter values are not searched for in what is answered: taking every `abc` out of a text would destroy it and protect nothing. */
export const answeredSecretCharactersMin = 8;

/** Longer spellings are searched for as they are only: a regular expression that long throws, with the secret in its message. */
const expressionCharactersMax = 16 * 1024;

/** Shorter parts of a base64 text are not searched for. */
const base64CharactersMin = 8;

export type SecretFilterOptions = {
  /** Shorter secrets are ignored. Default {@link answeredSecretCharactersMin}, in characters. */
  readonly charactersMin?: number;
  /** Default {@link secretMark}. */
  readonly mark?: string;
};

export type SecretFilter = {
  /** The text without the secrets: in large letters or small, as they are, as JSON, in an address, or in base64. */
  hide(text: string): string;
  /** Whether the text holds one. */
  holds(text: string): boolean;
  /** For a text that comes in pieces, see {@link HiddenPieces}. */
  pieces(): HiddenPieces;
};

/**
 * A text that comes in pieces, without the secrets, also those that are split over several pieces. What `push` and `end` give, put
 * together, is what `hide` gives of the whole text.
 */
export type HiddenPieces = {
  /** What may be shown now. What may be the beginning of a secret is kept back. */
  push(piece: string): string;
  /** What was kept back, when nothing more comes. */
  end(): string;
};

/**
 * A filter for these secrets. Made once for many texts: what searches for a long secret takes longer to make than to use. `hide` and
 * `holds` are only for text that is whole: half of a secret is found by nobody.
 */
export function secretFilter(
  secrets: Iterable<string | undefined>,
  { charactersMin = answeredSecretCharactersMin, mark = secretMark }: SecretFilterOptions = {},
): SecretFilter {
  const all = [...new Set(secrets)].flatMap((secret = '') =>
    secret === '' || secret.length < charactersMin ? [] : spellingsOf(secret),
  );
  // The longest first: one may contain another, and is to be hidden whole.
  const spellings = [...new Set(all)].sort((one, other) => other.length - one.length);
  const short = spellings.filter((spelling) => spelling.length <= expressionCharactersMax);
  const long = spellings.slice(0, spellings.length - short.length);
  const any = short.map((spelling) => spelling.replace(/[\\^$.*+?()[\]{}|]/gu, '\\$&')).join('|');
  const expression = short.length === 0 ? undefined : new RegExp(any, 'gi');
  const hide = (text: string): string => {
    const left = long.reduce((rest, spelling) => rest.replaceAll(spelling, mark), text);
    return expression === undefined ? left : left.replace(expression, mark);
  };
  const inSmallLetters = spellings.map(smallLetters);
  return {
    hide,
    holds: (text) => hide(text) !== text,
    pieces: () => {
      let kept = '';
      return {
        push: (piece) => {
          const text = kept + piece;
          const shown = endOfShown(text, inSmallLetters, expression);
          kept = text.slice(shown);
          return hide(text.slice(0, shown));
        },
        end: () => {
          const text = kept;
          kept = '';
          return hide(text);
        },
      };
    },
  };
}

/** How much of a text may be shown: up to where one of the spellings may begin that is not over at its end. */
function endOfShown(text: string, spellings: readonly string[], expression: RegExp | undefined): number {
  const small = smallLetters(text);
  let end = small.length;
  for (const spelling of spellings) {
    const first = spelling[0] as string;
    const from = Math.max(0, small.length - spelling.length + 1);
    for (let at = small.indexOf(first, from); at !== -1 && at < end; at = small.indexOf(first, at + 1)) {
      if (spelling.startsWith(small.slice(at))) end = at;
    }
  }
  // A secret that is whole already is not cut in two.
  for (const { index, 0: found } of expression === undefined ? [] : text.matchAll(expression)) {
    if (index < end && index + found.length > end) end = index + found.length;
  }
  return end;
}

/** Of ASCII only: other letters may change the length of a text. */
const smallLetters = (text: string): string => text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());

/** The ways a secret may be spelled: JSON, addresses, forms, a validator's name of a property (RFC 6901), base64, hexadecimal. */
function spellingsOf(secret: string): readonly string[] {
  // An address cannot hold half a character.
  const whole = Buffer.from(secret).toString();
  return [
    secret,
    JSON.stringify(secret).slice(1, -1),
    // Some writers of JSON escape slashes, too.
    JSON.stringify(secret).slice(1, -1).replaceAll('/', '\\/'),
    encodeURIComponent(whole),
    new URLSearchParams([['', whole]]).toString().slice(1),
    encodeURI(whole.replaceAll('~', '~0').replaceAll('/', '~1')),
    Buffer.from(secret).toString('base64'),
    Buffer.from(secret).toString('base64url'),
    Buffer.from(secret).toString('hex'),
    ...insideBase64(Buffer.from(secret), 'base64'),
    ...insideBase64(Buffer.from(secret), 'base64url'),
  ];
}

/**
 * What base64 of a longer text, such as `id:secret` of HTTP Basic (RFC 7617), holds of the secret wherever it begins: at each of the
 * three alignments the characters that depend on nothing else. Short ones are left out; they would be found by chance.
 */
function insideBase64(secret: Buffer, alphabet: 'base64' | 'base64url'): string[] {
  return [0, 1, 2]
    .map((before) => {
      const bytes = Buffer.concat([Buffer.alloc(before), secret]);
      return bytes.toString(alphabet).slice(Math.ceil((before * 8) / 6), Math.floor((bytes.length * 8) / 6));
    })
    .filter((part) => part.length >= base64CharactersMin);
}
