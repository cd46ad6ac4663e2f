/** What is shown when a sign-in came to nothing, with the way to try again. `problem` and `again` are made here, and are plain text. */
export const failedSignInPage = (nonce: string, problem: string, again: string): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Not signed in · Stop and Go</title>
<style nonce="${nonce}">
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
body { min-height: 100vh; margin: 0; display: grid; place-items: center; }
main { padding: 2rem; max-width: 30rem; }
h1 { font-size: 1.25rem; margin: 0 0 0.5rem; }
p { margin: 0 0 1.25rem; }
a { color: inherit; }
</style>
</head>
<body>
<main>
<h1>You are not signed in</h1>
<p role="alert">${escaped(problem)}</p>
<a href="${escaped(again)}">Sign in again</a>
</main>
</body>
</html>
`;

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** A text as it stands in HTML, also within double quotes. */
export const escaped = (text: string): string => text.replace(/[&<>"]/g, (character) => entities[character] ?? '');
