/** RFC 3339 in UTC, to the second. */
export function rfc3339(milliseconds: number): string {
  return `${new Date(milliseconds).toISOString().slice(0, 'yyyy-mm-ddThh:mm:ss'.length)}Z`;
}
