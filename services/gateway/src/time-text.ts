const pattern = /^(\d{4})-(\d{2})-(\d{2})T(?:[01]\d|2[0-3]):\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2})$/;

/**
 * The time that a text of a request names, with its offset from UTC, in milliseconds since 1970 (RFC 3339, section 5.6; seconds may be
 * left out). Undefined for any other text, and for a day that its month does not have: a parser takes 31 February for 3 March.
 */
export function timeFrom(text: string): number | undefined {
  const [, year, month, day] = pattern.exec(text) ?? [];
  const lastDay = new Date(Date.UTC(Number(year), Number(month), 0)).getUTCDate();
  const time = Date.parse(text);
  return Number(day) <= lastDay && time >= 0 ? time : undefined;
}
