// Questions to the API, with the token where there is one.

const KEY = 'unecho.token';
const PATIENCE = 10_000; // ms

/** Failure is an answer that is none: status 0 means that nothing came back. */
export class Failure extends Error {
  constructor(status, message, remedy) {
    super(message);
    this.status = status;
    this.remedy = remedy ?? '';
  }
}

// A browser that keeps nothing for this page still has the token until it is loaded again.
let token = '';
try {
  token = sessionStorage.getItem(KEY) ?? '';
} catch { /* storage is closed */ }

export const hasToken = () => token !== '';

export function setToken(value) {
  token = value;
  try {
    if (value) sessionStorage.setItem(KEY, value);
    else sessionStorage.removeItem(KEY);
  } catch { /* storage is closed */ }
}

/** address is relative to the page, which may stand below any path. */
const address = (path) => new URL(path, document.baseURI);

function request(path, { method = 'GET', body, headers = {}, signal } = {}) {
  const all = { ...headers };
  if (token) all.Authorization = 'Bearer ' + token;
  if (body !== undefined) all['Content-Type'] = 'application/json';
  return fetch(address('api/v1/' + path), {
    method, headers: all, signal, cache: 'no-store', credentials: 'same-origin', redirect: 'error',
    body: body === undefined ? undefined : JSON.stringify(body),
  });
}

async function failureOf(answer) {
  try {
    const told = await answer.json();
    return new Failure(answer.status, told.error || `the answer is ${answer.status}`, told.remedy);
  } catch {
    return new Failure(answer.status, `the answer is ${answer.status} ${answer.statusText}`, 'see whether a proxy in between answers instead of unecho');
  }
}

/** ask returns the answer as JSON, or throws a Failure. */
export async function ask(path, options = {}) {
  const signals = [AbortSignal.timeout(PATIENCE)];
  if (options.signal) signals.push(options.signal);
  let answer;
  try {
    answer = await request(path, { ...options, signal: AbortSignal.any(signals) });
    if (answer.ok) return await answer.json();
  } catch (e) {
    if (options.signal?.aborted) throw e;
    throw new Failure(0, 'nothing answers', 'see whether the process runs');
  }
  throw await failureOf(answer);
}

/** textOf asks for a document with its text. */
export const textOf = (at) => ask(`document/${encodeURIComponent(at.topic)}/${at.partition}/${at.offset}?text=1`);

/** open returns an answer that is read as it comes, or throws a Failure. */
export async function open(path, options) {
  let answer;
  try {
    answer = await request(path, options);
  } catch (e) {
    if (options.signal?.aborted) throw e;
    throw new Failure(0, 'nothing answers', 'see whether the process runs');
  }
  if (!answer.ok) throw await failureOf(answer);
  return answer;
}

/** query writes parameters, and leaves out those that are empty. */
export function query(parameters) {
  const given = Object.entries(parameters).filter(([, v]) => v !== undefined && v !== null && v !== '');
  return given.length === 0 ? '' : '?' + new URLSearchParams(given);
}
