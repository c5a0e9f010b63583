// Sends requests from the reference page. The key stays in this page, and nothing of an answer is ever taken for markup.
const key = document.querySelector('#api-key');

function requestOf(form) {
  let path = form.dataset.path;
  const query = new URLSearchParams();
  for (const field of form.querySelectorAll('input')) {
    if (field.dataset.in === 'path') path = path.replace(`{${field.name}}`, encodeURIComponent(field.value));
    else if (field.value !== '')
      for (const value of field.dataset.many ? field.value.split(',') : [field.value])
        query.append(field.name, value.trim());
  }
  const text = query.toString();
  const headers = new Headers();
  if (key.value !== '') headers.set('X-API-Key', key.value.trim());
  const body = form.querySelector('textarea')?.value;
  if (body !== undefined) headers.set('Content-Type', 'application/json');
  return { url: text === '' ? path : `${path}?${text}`, method: form.dataset.method, headers, body };
}

function shown(text) {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

const SHOWN_HEADERS = ['etag', 'x-request-id', 'x-ratelimit-remaining', 'retry-after'];

async function send(form) {
  const output = form.querySelector('output');
  const { url, ...request } = requestOf(form);
  output.textContent = `${request.method} ${url} …`;
  const began = performance.now();
  try {
    const answer = await fetch(url, { ...request, credentials: 'omit' });
    const body = shown(await answer.text());
    const headers = SHOWN_HEADERS.filter((name) => answer.headers.has(name));
    output.textContent = [
      `${request.method} ${url}`,
      `${answer.status} ${answer.statusText} in ${Math.round(performance.now() - began)} ms`,
      ...headers.map((name) => `${name}: ${answer.headers.get(name)}`),
      '',
      body,
    ].join('\n');
  } catch (error) {
    output.textContent = `${request.method} ${url}\n${error.message}`;
  }
}

for (const hidden of document.querySelectorAll('[data-needs-script]')) hidden.hidden = false;
for (const form of document.querySelectorAll('form[data-path]'))
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    send(form);
  });
