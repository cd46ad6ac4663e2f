/**
 * Whether a name matches a pattern as a whole: `*` stands for any characters, also none, `?` for exactly one, and everything else for
 * itself, upper and lower case being different. Takes at most as many steps as the lengths of both multiplied, whatever the pattern.
 */
export function matchesGlob(pattern: string, name: string): boolean {
  // Most patterns that do not match begin differently, and many are tried for each call.
  const first = pattern[0];
  if (first !== undefined && first !== '*' && first !== '?' && first !== name[0]) return false;
  const wanted = [...pattern];
  const given = [...name];
  let at = 0;
  let place = 0;
  /** The last star, and how much of the name it has been given. */
  let star = -1;
  let taken = 0;
  while (place < given.length) {
    if (wanted[at] === '*') {
      star = at;
      taken = place;
      at += 1;
    } else if (at < wanted.length && (wanted[at] === '?' || wanted[at] === given[place])) {
      at += 1;
      place += 1;
    } else if (star >= 0) {
      taken += 1;
      place = taken;
      at = star + 1;
    } else return false;
  }
  return wanted.slice(at).every((sign) => sign === '*');
}

/** Whether a name matches one of these patterns; with none of them, no name does. */
export function matchesAny(patterns: readonly string[], name: string): boolean {
  return patterns.some((pattern) => matchesGlob(pattern, name));
}
