import { escaped } from './login/login-page.ts';
import type { LoginState } from './login/routes.ts';

/** Where the nonce of an answer stands in the built page, and who is signed in. */
const [noncePlace, statePlace] = ['%CSP_NONCE%', '%LOGIN_STATE%'];

/** The page of the app, with the nonce of this answer and who looks at it: so it is never shown as somebody else's. */
export const appPage = (page: string, nonce: string, state: LoginState): string =>
  page.replaceAll(noncePlace, nonce).replaceAll(statePlace, () => escaped(JSON.stringify(state)));

/** What is shown while the app is being built: it asks again by itself. */
export const buildingPage = (nonce: string): string =>
  plainPage(nonce, {
    head: '<meta http-equiv="refresh" content="1">',
    title: 'Preparing the app',
    body: '<p role="status">The platform is ready. Its pages are built once, which takes some seconds; this page opens by itself.</p>',
  });

/** What is shown once the build has failed, with what it said: nothing comes of asking again by itself. */
export const failedBuildPage = (nonce: string, problem: string): string =>
  plainPage(nonce, {
    head: '',
    title: 'The app could not be built',
    body: `<p role="alert">The platform runs, and its API and commands work. Its pages could not be built:</p>
<pre tabindex="0">${escaped(problem)}</pre>
<p>Once <code>npm run build</code> succeeds, <a href="">load this page again</a>.</p>`,
  });

const plainPage = (
  nonce: string,
  { head, title, body }: { readonly head: string; readonly title: string; readonly body: string },
): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
${head}
<title>${title} · Stop and Go</title>
<style nonce="${nonce}">
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
body { min-height: 100vh; margin: 0; display: grid; place-items: center; }
main { box-sizing: border-box; max-width: min(48rem, 100vw); padding: 2rem; text-align: center; }
h1 { font-size: 1.25rem; margin: 0 0 0.5rem; }
p { margin: 0; opacity: 0.8; }
pre { margin: 1rem 0; text-align: start; white-space: pre-wrap; overflow-wrap: anywhere; }
a { color: inherit; }
</style>
</head>
<body>
<main>
<h1>${title}</h1>
${body}
</main>
</body>
</html>
`;
