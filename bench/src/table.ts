/** A table in Markdown: the first column to the left, the others to the right. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map((_, index) => (index === 0 ? '---' : '---:'))), ...rows.map(line)].join('\n');
}

/** Milliseconds, with as many digits as count. */
export const ms = (value: number): string => value.toFixed(value < 10 ? 2 : 1);

/** A number without a fraction. */
export const whole = (value: number): string => value.toFixed(0);
