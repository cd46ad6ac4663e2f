type Variables = Readonly<Record<string, string | undefined>>;

/** What any program may need to run as it should: no credentials. */
const harmless = /^(PATH|HOME|USER|LANG|LC_\w+|TZ|TERM|TMPDIR|NODE_OPTIONS|NODE_EXTRA_CA_CERTS|SSL_CERT_(FILE|DIR))$/;

/** Of an environment what may be seen by every process of the same user, as what a process is started with can be. */
export function harmlessOf(env: Variables): NodeJS.ProcessEnv {
  return only(env, [harmless]);
}

/** The variables whose names have one of these shapes. */
export function only(env: Variables, shapes: readonly RegExp[]): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(env).filter(([name]) => shapes.some((shape) => shape.test(name))));
}
