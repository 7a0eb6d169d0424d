// The way to the server of the studio.

const lines = new TextDecoder();

/** What is refused, by the server or before it is asked, with the reason. */
export class Refusal extends Error {}

// Half of a character that takes two units of UTF-16 is in no text that can be sent or saved.
function demandWhole(text) {
  const at = text.search(/\p{Surrogate}/u);
  if (at >= 0) {
    const before = text.slice(0, at).split('\n');
    const column = [...before.at(-1)].length + 1;
    throw new Refusal(
      `line ${before.length}, column ${column}: half of a character, which no text can ` +
        'hold; delete it and type or paste the character again',
    );
  }
}

async function complain(response) {
  let message = `the server answered ${response.status}`;
  try {
    message = (await response.json()).message ?? message;
  } catch {
    // No reason was given.
  }
  const refusal = new Refusal(message);
  refusal.status = response.status;
  return refusal;
}

export class Link {
  /** `onState(there)` hears whether the server is there whenever that changes. */
  constructor(onState) {
    this.onState = onState;
    this.there = true;
    this.client = crypto.randomUUID();
  }

  tell(there) {
    if (there !== this.there) {
      this.there = there;
      this.onState(there);
    }
  }

  async ask(path, options) {
    let response;
    try {
      response = await fetch(path, options);
    } catch (error) {
      if (error.name !== 'AbortError') {
        this.tell(false);
      }
      throw error;
    }
    this.tell(true);
    if (!response.ok) {
      throw await complain(response);
    }
    return response;
  }

  async get(path) {
    return (await this.ask(path)).json();
  }

  async post(path, body, signal) {
    demandWhole(body.text ?? '');
    return this.ask(path, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
      signal,
    });
  }

  /** What the server answers to a question of the Language Server Protocol about a place of a
   * text, in line and character from 0. */
  async inquire(what, text, position) {
    const question = JSON.stringify({
      jsonrpc: '2.0',
      id: 0,
      method: `textDocument/${what}`,
      params: { textDocument: { uri: 'studio:' }, position },
    });
    let found = null;
    const take = ({ answer }) => {
      found = answer ?? found;
    };
    const body = { text, tasks: ['question'], question };
    await this.evaluate(body, take, { purpose: what });
    return found;
  }

  async save(body) {
    return (await this.post('save', body)).json();
  }

  /** Have a text worked on; `take` gets each thing that comes of it.  A new call with the
   * same purpose ends the one before. */
  async evaluate(body, take, { purpose = 'main', signal } = {}) {
    const client = `${this.client}-${purpose}`;
    const response = await this.post('evaluate', { client, ...body }, signal);
    const reader = response.body.getReader();
    let rest = new Uint8Array(0);
    try {
      for (;;) {
        const { done, value } = await reader.read();
        if (done) {
          break;
        }
        rest = this.split(rest, value, take, signal);
      }
    } catch (error) {
      if (error.name !== 'AbortError') {
        this.tell(false);
      }
      throw error;
    }
  }

  // Whole lines are taken, the rest waits for more.
  split(rest, value, take, signal) {
    const bytes = new Uint8Array(rest.length + value.length);
    bytes.set(rest);
    bytes.set(value, rest.length);
    let from = 0;
    for (
      let at = bytes.indexOf(10, rest.length);
      at >= 0;
      at = bytes.indexOf(10, from)
    ) {
      const text = lines.decode(bytes.subarray(from, at));
      from = at + 1;
      if (text !== '' && !signal?.aborted) {
        take(JSON.parse(text));
      }
    }
    return bytes.slice(from);
  }
}
