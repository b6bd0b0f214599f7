// Assigns streamed pieces to the tool calls of a message. The format numbers calls by `index`; some providers number all calls 0, send the
// id in the first piece only or in every piece, or send no number.
import { createHash } from 'node:crypto';
import { isObject, type JsonObject } from '#server/framing/loose-json.ts';

export interface PlacedPiece {
  /** Index of the call in the message, from 0. */
  index: number;
  /** Whether the piece begins the call. */
  isNew: boolean;
  /** Id of the call, unique in the message. */
  id: string;
}

interface Call {
  index: number;
  id: string;
  /** Id from the provider; empty if absent. */
  reportedId: string;
  name: string;
  arguments: ObjectEnd;
}

export class ToolCalls {
  readonly #byNumber = new Map<number, Call>();
  readonly #byId = new Map<string, Call>();
  readonly #ids = new Set<string>();
  readonly #seed: string;
  #last: Call | undefined;

  /** @param seed differs between responses: generated ids derive from it */
  constructor(seed: string) {
    this.#seed = seed;
  }

  /** Whether call 0, the only one in the legacy format, has begun. */
  get hasFirst(): boolean {
    return this.#byNumber.has(0);
  }

  /** Places a streamed piece. */
  place(piece: JsonObject): PlacedPiece {
    const reported = readPiece(piece);
    const known = this.#known(reported);
    if (known === undefined) return this.#begin(reported);
    if (known.reportedId === '' && reported.id !== '') this.#byId.set(reported.id, known);
    if (known.name === '') known.name = reported.name;
    known.arguments.push(reported.text);
    this.#last = known;
    return { index: known.index, isNew: false, id: known.id };
  }

  /** Begins a complete call. */
  begin(piece: JsonObject): PlacedPiece {
    return this.#begin(readPiece(piece));
  }

  #begin({ number, id: reportedId, name, text }: Piece): PlacedPiece {
    const index = this.#ids.size;
    const own = reportedId === '' ? this.#ownId(index) : reportedId;
    const id = this.#ids.has(own) ? `${own}_${index}` : own;
    const call = { index, id, reportedId, name, arguments: new ObjectEnd() };
    call.arguments.push(text);
    this.#ids.add(id);
    if (number !== undefined) this.#byNumber.set(number, call);
    if (reportedId !== '') this.#byId.set(reportedId, call);
    this.#last = call;
    return { index, isNew: true, id };
  }

  #known(piece: Piece): Call | undefined {
    const { number, id } = piece;
    const byId = id === '' ? undefined : this.#byId.get(id);
    const numbered = number === undefined ? undefined : this.#byNumber.get(number);
    if (number !== undefined && numbered === undefined) return piece.name === '' || byId?.arguments.state === 'within' ? byId : undefined;
    const call = byId ?? numbered ?? (id === '' ? this.#last : undefined);
    return call === undefined || beginsAnother(piece, call, byId === call) ? undefined : call;
  }

  #ownId(index: number): string {
    return `call_${createHash('sha256').update(`${this.#seed} ${index}`).digest('hex').slice(0, 24)}`;
  }
}

interface Piece {
  number: number | undefined;
  id: string;
  name: string;
  text: string;
}

function readPiece({ index, id, function: called, custom }: JsonObject): Piece {
  const { name, arguments: text } = isObject(called) ? called : isObject(custom) ? { name: custom.name, arguments: custom.input } : {};
  return {
    number: typeof index === 'number' ? index : undefined,
    id: typeof id === 'string' ? id : '',
    name: typeof name === 'string' ? name : '',
    text: typeof text === 'string' ? text : isObject(text) ? JSON.stringify(text) : '',
  };
}

/** Whether a named piece begins another call in spite of its number. */
function beginsAnother({ id, name }: Piece, call: Call, hasItsId: boolean): boolean {
  if (name === '' || hasItsId) return false;
  // A call with unfinished arguments continues; some providers give each piece a new id.
  if (call.arguments.state === 'within') return name !== call.name;
  if (call.arguments.state === 'closed' || name !== call.name) return true;
  return id !== '' && call.reportedId !== '';
}

/** Finds the end of a streamed JSON object. */
class ObjectEnd {
  state: 'before' | 'within' | 'closed' = 'before';
  #depth = 0;
  #isText = false;
  #isEscaped = false;

  push(text: string): void {
    for (let at = 0; at < text.length && this.state !== 'closed'; at += 1) this.#take(text.charCodeAt(at));
  }

  #take(code: number): void {
    if (this.#isEscaped) this.#isEscaped = false;
    else if (this.#isText) {
      if (code === backslash) this.#isEscaped = true;
      else if (code === quote) this.#isText = false;
    } else if (code === quote) this.#isText = this.state === 'within';
    else if (code === opening) {
      this.state = 'within';
      this.#depth += 1;
    } else if (code === closing && this.state === 'within') {
      this.#depth -= 1;
      if (this.#depth === 0) this.state = 'closed';
    }
  }
}

const [quote, backslash, opening, closing] = [0x22, 0x5c, 0x7b, 0x7d];
