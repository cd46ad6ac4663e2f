/** A branch or a tag, and the commit that it points to. */
export type Ref = {
  readonly name: string;
  readonly commit: string;
  /** When it was committed, in milliseconds since 1970. */
  readonly time: number;
};

/** Of a tag with a message of its own the second of each pair is that of its commit. */
export const refFormat = '%(refname)%00%(objectname) %(*objectname)%00%(committerdate:unix) %(*committerdate:unix)';

/** Branches and tags as `git for-each-ref` writes them in that format. Tags of what is no commit are left out. */
export function readRefs(output: string): readonly Ref[] {
  return output.split('\n').flatMap((line) => {
    const [name = '', objects = '', times = ''] = line.split('\0');
    const last = (pair: string) => pair.trim().split(' ').at(-1) ?? '';
    const seconds = last(times);
    return seconds === '' ? [] : [{ name, commit: last(objects), time: Number(seconds) * 1_000 }];
  });
}
