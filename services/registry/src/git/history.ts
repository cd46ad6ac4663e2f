/** A commit, as a history shows it. */
export type Commit = {
  readonly hash: string;
  /** Whole, cut at 4,096 characters. */
  readonly message: string;
  readonly author: string;
  /** When it was committed, in milliseconds since 1970. */
  readonly time: number;
  /** At most 100 of them. */
  readonly changedFiles: readonly string[];
};

const messageCharactersMax = 4_096;
const authorCharactersMax = 200;
const filesMax = 100;

/** Begins each commit, so that file names and commits are told apart. */
const mark = '\u0002';

/** Arguments of `git log` for `readHistory`. */
export const historyArguments = (limit: number): readonly string[] => [
  `--max-count=${limit}`,
  '--no-show-signature',
  '--no-ext-diff',
  '--no-renames',
  '--full-diff',
  '--name-only',
  '-z',
  `--format=${mark}%H%x00%an%x00%ct%x00%B%x00`,
];

/** Commits as git writes them, the newest first. */
export function readHistory(output: string): readonly Commit[] {
  return output
    .split(new RegExp(`(?:^|\\0)${mark}(?=[0-9a-f]{40})`, 'u'))
    .filter((text) => text !== '')
    .map((text) => {
      const [hash = '', author = '', seconds = '', message = '', ...files] = text.split('\0');
      return {
        hash,
        message: message.trim().slice(0, messageCharactersMax),
        author: author.slice(0, authorCharactersMax),
        time: Number(seconds) * 1_000,
        changedFiles: files
          .map((file) => file.replace(/^\n+/u, ''))
          .filter((file) => file !== '')
          .slice(0, filesMax),
      };
    });
}
