/** Why a call was refused: `violation` is an attempt to get around the sandbox, which the log marks. */
export type RefusalKind = 'failure' | 'violation';

/** The call cannot be done. The message is the whole answer: it names paths as the caller did, never those of the host. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly kind: RefusalKind;

  constructor(message: string, kind: RefusalKind = 'failure') {
    super(message);
    this.kind = kind;
  }
}

export function outsideRoot(): Refusal {
  return new Refusal('path resolves outside root boundary', 'violation');
}

const reasons: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EBUSY: 'it is in use',
  EDQUOT: 'the disk quota is used up',
  EEXIST: 'it exists already',
  EFBIG: 'the file would be too large',
  EINVAL: 'the file system does not allow it',
  EIO: 'input/output error',
  EISDIR: 'it is a directory',
  ELOOP: 'it became a link meanwhile',
  EMFILE: 'too many open files',
  ENAMETOOLONG: 'a name is too long',
  ENFILE: 'too many open files',
  ENOENT: 'it is not there any more',
  ENOSPC: 'no space left on the device',
  ENOTDIR: 'it is not a directory',
  ENOTEMPTY: 'it is a directory that is not empty',
  EPERM: 'permission denied',
  EROFS: 'the file system is read-only',
  ETXTBSY: 'it is being executed',
  EXDEV: 'it is on another file system',
};

/** The code of an error of the operating system, or undefined for any other. */
export function systemCode(thrown: unknown): string | undefined {
  if (!(thrown instanceof Error) || !('code' in thrown) || !('syscall' in thrown)) return undefined;
  return typeof thrown.code === 'string' ? thrown.code : undefined;
}

/** What went wrong in words of our own: the system's message would show where the root lies on the host. */
export function reasonWithoutPath(thrown: unknown): string {
  const code = systemCode(thrown);
  return code === undefined ? 'internal error' : (reasons[code] ?? code);
}

/** Runs one step; an error of the system becomes a refusal that says which step of what failed. */
export async function attempt<T>(doing: string, path: string, step: () => Promise<T>): Promise<T> {
  try {
    return await step();
  } catch (thrown) {
    if (systemCode(thrown) === undefined) throw thrown;
    throw new Refusal(`${doing}: ${reasonWithoutPath(thrown)}: ${path}`);
  }
}
