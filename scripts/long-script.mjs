/** A long script that finds that it cannot run here ends with this code, if it is told to by STOPGO_SKIPPED_CODE. */
export const SKIPPED_CODE = 77;

/**
 * What a long script came to by its exit code. A skip is a failure where everything is required, as in CI: nobody would notice there
 * that something has not run for months.
 * @param {number} code
 * @param {boolean} isRequired
 * @returns {'passed' | 'failed' | 'skipped'}
 */
export function resultOf(code, isRequired) {
  if (code === 0) return 'passed';
  return code === SKIPPED_CODE && !isRequired ? 'skipped' : 'failed';
}
