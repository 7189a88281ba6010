// Server-sent events over fetch, because EventSource sends no token.

import { open } from './api.js';

const QUIET = 40_000; // ms without a word, after which the connection is taken for dead; the server says something every 15 s
const LONGEST = 10_000; // ms between two tries

/** parser returns a function that takes pieces of a stream and calls tell with each event. */
export function parser(tell) {
  let rest = '';
  let event = { type: 'message', data: [], id: undefined };
  return (piece) => {
    const lines = (rest + piece).split('\n');
    rest = lines.pop();
    for (const raw of lines) {
      const line = raw.endsWith('\r') ? raw.slice(0, -1) : raw;
      if (line === '') {
        if (event.data.length > 0) tell({ type: event.type, id: event.id, data: event.data.join('\n') });
        event = { type: 'message', data: [], id: undefined };
        continue;
      }
      const colon = line.indexOf(':');
      if (colon === 0) continue;
      const field = colon < 0 ? line : line.slice(0, colon);
      const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '');
      if (field === 'event') event.type = value;
      else if (field === 'data') event.data.push(value);
      else if (field === 'id') event.id = value;
    }
  };
}

/** Stream reads events of one address after another, and goes on behind the last one it saw when it is cut off. */
export class Stream {
  #tell;
  #state;
  #stop = null;
  #path = '';
  #last; // the id of the last event

  constructor(tell, state) {
    this.#tell = tell;
    this.#state = state;
  }

  /** start follows an address from now on, or once it is resumed. */
  start(path, later = false) {
    this.stop();
    this.#path = path;
    this.#last = undefined;
    if (!later) this.#go();
  }

  /** resume goes on behind the last event. It returns false if there was none: who asks does not know then what was missed. */
  resume() {
    if (this.#last === undefined) return false;
    this.stop();
    this.#go();
    return true;
  }

  #go() {
    this.#stop = new AbortController();
    this.#run(this.#stop.signal);
  }

  stop() {
    this.#stop?.abort();
    this.#stop = null;
  }

  async #run(signal) {
    for (let wait = 500; !signal.aborted;) {
      try {
        await this.#read(signal, (event) => {
          this.#last = event.id ?? this.#last;
          wait = 500;
          this.#tell(event);
        });
      } catch (failure) {
        if (signal.aborted) return;
        this.#state('lost', failure);
      }
      if (signal.aborted) return;
      await new Promise((done) => setTimeout(done, wait * (0.75 + Math.random() / 2)));
      wait = Math.min(LONGEST, wait * 2);
    }
  }

  async #read(signal, tell) {
    const quiet = new AbortController();
    const answer = await open(this.#path, { signal: AbortSignal.any([signal, quiet.signal]), headers: this.#last === undefined ? {} : { 'Last-Event-ID': this.#last } });
    this.#state('open');
    const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
    const take = parser(tell);
    for (;;) {
      const timer = setTimeout(() => quiet.abort(), QUIET);
      const { done, value } = await reader.read().finally(() => clearTimeout(timer));
      if (done) throw new Error('the stream ended');
      take(value);
    }
  }
}
