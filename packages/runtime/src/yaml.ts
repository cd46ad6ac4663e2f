/*
 * What reads YAML that people write, for files that are no configuration: shapes that say in the words of the file what is wrong, the
 * places that this is about, and what slips of the pen in the syntax mean.
 */
export { positionOf } from './config/places.ts';
export { inYamlWords, isRequired, problemAt, quote, type YamlPath } from './config/problem.ts';
export { choice, filledText, flag, globs, list, mapping, nameText, text, wholeNumber } from './config/shapes.ts';
export { readTree } from './config/tree.ts';
export type { AgentNodeConfig } from './config/types.ts';
export { slipsOf } from './config/yaml-slips.ts';
