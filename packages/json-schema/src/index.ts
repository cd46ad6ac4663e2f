export { fittedValue } from './coerce.ts';
export { processSchemaChecks, type SchemaCheck, SchemaChecks, type SchemaChecksOptions } from './schema-checks.ts';
export { schemaProblem, shownProblem } from './schema-problem.ts';
