// What a browser is shown that comes back from an authorization server.
import { notePage } from './link-page.ts';

/** The account is connected. */
export const connectedPage = (server: string): string =>
  notePage(
    'Your account is connected',
    `${server} can be used on your behalf now. What waited for it goes on by itself. You can close this page.`,
  );

/** It is not, and why. */
export const notConnectedPage = (problem: string): string => notePage('Your account is not connected', problem);
