/** The content of a file, or why it is not given. */
export type Blob =
  | { readonly kind: 'content'; readonly bytes: Buffer }
  /** `bytes` is missing where a server was asked to keep back what is too large. */
  | { readonly kind: 'too_large'; readonly bytes?: number };

/** Sizes as `git cat-file --batch-check` writes them; undefined for what the mirror does not hold. */
export function readSizes(output: string): ReadonlyMap<string, number | undefined> {
  const lines = output.split('\n').filter((line) => line !== '');
  return new Map(
    lines.map((line) => {
      const [object = '', type = '', size] = line.split(' ');
      return [object, type === 'blob' ? Number(size) : undefined];
    }),
  );
}

/** Contents as `git cat-file --batch` writes them. */
export function readContents(output: Buffer): ReadonlyMap<string, Buffer> {
  const contents = new Map<string, Buffer>();
  for (let at = 0; at < output.length; ) {
    const lineEnd = output.indexOf(0x0a, at);
    const [object = '', , size = ''] = output.toString('latin1', at, lineEnd).split(' ');
    const end = lineEnd + 1 + Number(size);
    contents.set(object, Buffer.from(output.subarray(lineEnd + 1, end)));
    at = end + 1;
  }
  return contents;
}

/** Groups of at most so many objects and bytes, in order. One that is larger by itself is a group of its own. */
export function grouped(
  sizes: readonly (readonly [string, number])[],
  bytesMax: number,
  objectsMax: number,
): readonly { readonly objects: readonly string[]; readonly bytes: number }[] {
  const groups: { objects: string[]; bytes: number }[] = [];
  for (const [object, size] of sizes) {
    const last = groups.at(-1);
    if (last === undefined || last.bytes + size > bytesMax || last.objects.length >= objectsMax)
      groups.push({ objects: [object], bytes: size });
    else {
      last.objects.push(object);
      last.bytes += size;
    }
  }
  return groups;
}
