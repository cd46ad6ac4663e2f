/** A table of text with aligned columns; the first row is the head. Columns of numbers are aligned to the right. */
export function table(rows: readonly (readonly (string | number)[])[]): string[] {
  const [head = []] = rows;
  const widths = head.map((_, column) => Math.max(...rows.map((row) => String(row[column] ?? '').length)));
  return rows.map((row) =>
    row
      .map((cell, column) => {
        const isNumber = typeof rows[1]?.[column] === 'number';
        return isNumber ? String(cell).padStart(widths[column] ?? 0) : cell.toString().padEnd(widths[column] ?? 0);
      })
      .join('  ')
      .trimEnd(),
  );
}
