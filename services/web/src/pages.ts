import { escaped } from './login/login-page.ts';
import type { LoginState } from './login/routes.ts';

/** Where the nonce of an answer stands in the built page, and who is signed in. */
const [noncePlace, statePlace] = ['%CSP_NONCE%', '%LOGIN_STATE%'];

/** The page of the app, with the nonce of this answer and who looks at it: so it is never shown as somebody else's. */
export const appPage = (page: string, nonce: string, state: LoginState): string =>
  page.replaceAll(noncePlace, nonce).replaceAll(statePlace, () => escaped(JSON.stringify(state)));

/** What is shown while the app is being built: it asks again by itself. */
export const buildingPage = (nonce: string): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="refresh" content="1">
<title>Stop and Go</title>
<style nonce="${nonce}">
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
body { min-height: 100vh; margin: 0; display: grid; place-items: center; }
main { padding: 2rem; text-align: center; }
h1 { font-size: 1.25rem; margin: 0 0 0.5rem; }
p { margin: 0; opacity: 0.8; }
</style>
</head>
<body>
<main>
<h1>Preparing the app</h1>
<p role="status">The platform is ready. Its pages are built once, which takes some seconds; this page opens by itself.</p>
</main>
</body>
</html>
`;
