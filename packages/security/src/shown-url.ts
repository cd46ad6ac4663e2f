/** An address as it may be shown: without user, password, query and fragment, any of which may be a credential. */
export function shownUrl(url: string | URL): string {
  const shown = new URL(url);
  shown.username = '';
  shown.password = '';
  shown.search = '';
  shown.hash = '';
  return shown.href;
}
