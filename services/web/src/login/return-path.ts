import { returnCharactersMax } from '../bounds.ts';

/** Addresses of the server that are no pages. */
const noPage = /^\/(api|assets|login|logout|health)(\/|$)/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: browsers leave some of them out, and then read another address
const unsafe = /[\\\u0000-\u0020\u007f-\uffff]/;

/** Where a sign-in leads back to: a page of this app, whatever was asked for; the first one if it is none. */
export function returnPath(asked: string | null, publicUrl: string): string {
  if (asked === null || asked.length > returnCharactersMax || !asked.startsWith('/') || unsafe.test(asked)) return '/';
  const url = URL.canParse(asked, publicUrl) ? new URL(asked, publicUrl) : undefined;
  if (url === undefined || url.origin !== new URL(publicUrl).origin || noPage.test(url.pathname)) return '/';
  return `${url.pathname}${url.search}`.startsWith('//') ? '/' : `${url.pathname}${url.search}`;
}
