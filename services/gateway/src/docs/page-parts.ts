// What the page of the API loads. Both come from the gateway itself: the page asks nobody else for anything.

/** How the page looks: in light and dark, on a phone too. */
export const pageStyle = `:root{color-scheme:light dark;--line:#8884;--soft:#8881}
body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:0 auto;padding:1rem}
h1{margin:0 0 .5rem}h2{margin:2rem 0 .5rem;border-bottom:1px solid var(--line)}h3{margin:1rem 0 .25rem;font-size:1rem}
details{border:1px solid var(--line);border-radius:.5rem;margin:.5rem 0;padding:0 .75rem}
summary{cursor:pointer;padding:.5rem 0;overflow-wrap:anywhere}summary b{display:inline-block;min-width:4.5rem}
pre{background:var(--soft);padding:.5rem;border-radius:.25rem;white-space:pre-wrap;overflow-wrap:anywhere;max-height:30rem;overflow:auto}
table{border-collapse:collapse;width:100%}th,td{text-align:left;vertical-align:top;padding:.25rem .5rem .25rem 0;border-bottom:1px solid var(--line)}
dd{margin:0 0 .75rem}label{display:block;margin:.5rem 0}header label{display:inline-block;margin-right:1rem}
input,textarea,button{font:inherit}form input,textarea{display:block;box-sizing:border-box;width:100%}
button{padding:.25rem 1rem}:focus-visible{outline:2px solid #36c;outline-offset:2px}[hidden]{display:none}
`;

/** Sends what the forms of the page say, and shows what comes. The key is kept on the page alone. */
export const pageScript = `'use strict';
const key = document.getElementById('key');
const find = document.getElementById('find');

find.addEventListener('input', () => {
  const words = find.value.toLowerCase().split(/\\s+/).filter(Boolean);
  for (const one of document.querySelectorAll('details')) {
    const text = one.textContent.toLowerCase();
    one.hidden = !words.every((word) => text.includes(word));
  }
});

for (const form of document.querySelectorAll('form')) {
  const [send, stop] = form.querySelectorAll('button');
  const answer = form.querySelector('.answer');
  let asking;
  stop.addEventListener('click', () => asking && asking.abort());
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    asking = new AbortController();
    send.disabled = true;
    stop.hidden = false;
    answer.hidden = false;
    answer.textContent = 'Asking…';
    try {
      await ask(form, asking.signal, (text) => { answer.textContent = text; });
    } catch (error) {
      answer.textContent += '\\n' + (error.name === 'AbortError' ? 'Stopped.' : 'It was not answered: ' + error.message);
    } finally {
      send.disabled = false;
      stop.hidden = true;
    }
  });
}

async function ask(form, signal, show) {
  const { method, path } = form.dataset;
  const query = new URLSearchParams();
  const headers = {};
  let target = path;
  for (const place of form.querySelectorAll('input')) {
    const { name, value, dataset } = place;
    if (dataset.in === 'path') target = target.replace(new RegExp('([:*])' + name + '\\\\b'), (_, kind) => inPath(kind, value));
    else if (value === '') continue;
    else if (dataset.in === 'query') query.set(name, value);
    else headers[name] = value;
  }
  if (key.value !== '') headers[key.value.startsWith('sgo_') ? 'X-API-Key' : 'Authorization'] = (key.value.startsWith('sgo_') ? '' : 'Bearer ') + key.value;
  const body = form.elements.body ? form.elements.body.value : undefined;
  if (body !== undefined) headers['Content-Type'] = 'application/json';
  const url = target + (query.size > 0 ? '?' + query : '');
  const answered = await fetch(url, { method, headers, body, signal, redirect: 'error' });
  const head = method + ' ' + url + '\\n' + answered.status + ' ' + answered.statusText + '\\n\\n';
  show(head);
  const type = answered.headers.get('content-type') || '';
  if (!/json|text/.test(type)) return show(head + (type || 'no body'));
  if (!type.startsWith('text/event-stream')) return show(head + pretty(await answered.text()));
  let text = '';
  const reader = answered.body.pipeThrough(new TextDecoderStream()).getReader();
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    text = (text + part.value).slice(-100000);
    show(head + text);
  }
}

// The names of agents hold slashes; all else in a path is one word.
function inPath(kind, value) {
  return kind === '*' ? value.split('/').map(encodeURIComponent).join('/') : encodeURIComponent(value);
}

// Only what comes out the same: large numbers would not.
function pretty(text) {
  try {
    const value = JSON.parse(text);
    return JSON.stringify(value) === text ? JSON.stringify(value, undefined, 2) : text;
  } catch {
    return text;
  }
}
`;
