const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** A text as it is written in a page, between tags or in the value of an attribute. */
export const escaped = (text: string): string => text.replace(/[&<>"']/g, (one) => entities[one] ?? '');
