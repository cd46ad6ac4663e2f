import { type Problem, problemAt, type YamlPath } from './problem.ts';

/**
 * What a file must not hold anywhere: half of a surrogate pair, which nothing can put into UTF-8 (YAML can spell it: "\uD800"), and the key that
 * programs like this one take for something else than a name.
 */
export function characterProblems(value: unknown, path: YamlPath = []): Problem[] {
  if (typeof value === 'string')
    return isHalved(value) ? [problemAt(path, 'holds half of a surrogate pair, which is no character')] : [];
  if (Array.isArray(value)) return value.flatMap((one, index) => characterProblems(one, [...path, index]));
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, one]) => {
    if (isHalved(key)) return [problemAt(path, 'a key holds half of a surrogate pair, which is no character')];
    if (key === '__proto__')
      return [problemAt(path, 'a key is called __proto__, which cannot be a name; give it another one')];
    return characterProblems(one, [...path, key]);
  });
}

function isHalved(text: string): boolean {
  return /\p{Surrogate}/u.test(text);
}
