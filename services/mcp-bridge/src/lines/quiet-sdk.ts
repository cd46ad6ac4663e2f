const quiet = new WeakSet<Console['warn']>();

/**
 * Keeps what the client library warns of off our error output, whatever it is: it tells names and errors there in a server's own
 * words, with what credentials and hidden characters are in them. What becomes of a server and of its tools the bridge tells.
 */
export function quietSdk(target: Pick<Console, 'warn'>): void {
  const { warn } = target;
  if (quiet.has(warn)) return;
  target.warn = (...said: unknown[]) => {
    const [first] = said;
    if (typeof first !== 'string' || !first.startsWith('[mcp-sdk]')) warn.apply(target, said);
  };
  quiet.add(target.warn);
}
