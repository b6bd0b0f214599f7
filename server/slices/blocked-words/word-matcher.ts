// Whether a text holds one of many words, in one pass however many there are (Aho and Corasick, 1975). The libraries that do the same,
// and a RegExp of all words, take many times as long for a text that holds none, and every call waits for this.

/** True when one of the words is in the text, which is compared as it stands. */
export type WordMatcher = (text: string) => boolean;

/** So few are found faster one after the other. */
const fewWords = 8;

export interface WordSearch {
  holds: WordMatcher;
  /** For one text that comes in pieces: true when a word ends in this piece, wherever it began. */
  follow(): WordMatcher;
}

export function createWordMatcher(words: readonly string[]): WordMatcher {
  return createWordSearch(words).holds;
}

export function createWordSearch(words: readonly string[]): WordSearch {
  const wanted = words.filter((word) => word !== '');
  return wanted.length <= fewWords ? searchFew(wanted) : searchMany(wanted);
}

function searchFew(words: readonly string[]): WordSearch {
  const stored = words.reduce((most, word) => Math.max(most, word.length - 1), 0);
  const holds: WordMatcher = (text) => words.some((word) => text.includes(word));
  return {
    holds,
    follow() {
      let before = '';
      return (piece) => {
        const text = before + piece;
        before = stored === 0 ? '' : text.slice(-stored);
        return holds(text);
      };
    },
  };
}

function searchMany(words: readonly string[]): WordSearch {
  const { follow, fallback, isEnd } = buildAutomaton(words);
  /** The state after the text; `none` when a word ended in it. */
  const read = (from: number, text: string): number => {
    let state = from;
    for (let index = 0; index < text.length; index += 1) {
      const unit = text.charCodeAt(index);
      let next = follow.get(state, unit);
      while (next === none && state !== 0) {
        state = fallback[state] ?? 0;
        next = follow.get(state, unit);
      }
      state = next === none ? 0 : next;
      if (isEnd[state] === 1) return none;
    }
    return state;
  };
  return {
    holds: (text) => read(0, text) === none,
    follow() {
      let state = 0;
      return (piece) => {
        state = read(Math.max(state, 0), piece);
        return state === none;
      };
    },
  };
}

const none = -1;

interface Automaton {
  follow: Transitions;
  /** The state of the longest end of what was read that begins a word. */
  fallback: Int32Array;
  /** 1: a word ends here. */
  isEnd: Uint8Array;
}

function buildAutomaton(words: readonly string[]): Automaton {
  const most = words.reduce((sum, word) => sum + word.length, 1);
  const follow = createTransitions(most);
  const isEnd = new Uint8Array(most);
  const parent = new Int32Array(most);
  const unitInto = new Uint16Array(most);
  let states = 1;
  for (const word of words) {
    let state = 0;
    for (let index = 0; index < word.length; index += 1) {
      const unit = word.charCodeAt(index);
      let next = follow.get(state, unit);
      if (next === none) {
        next = states;
        states += 1;
        follow.set(state, unit, next);
        parent[next] = state;
        unitInto[next] = unit;
      }
      state = next;
    }
    isEnd[state] = 1;
  }
  return { follow, isEnd, fallback: linkFallbacks({ states, follow, isEnd, parent, unitInto }) };
}

interface Trie {
  states: number;
  follow: Transitions;
  isEnd: Uint8Array;
  parent: Int32Array;
  /** The character that leads into a state. */
  unitInto: Uint16Array;
}

function linkFallbacks({ states, follow, isEnd, parent, unitInto }: Trie): Int32Array {
  const fallback = new Int32Array(states);
  for (const state of byDepth(parent, states)) {
    const above = parent[state] ?? 0;
    if (above === 0) continue;
    const unit = unitInto[state] ?? 0;
    let candidate = fallback[above] ?? 0;
    let next = follow.get(candidate, unit);
    while (next === none && candidate !== 0) {
      candidate = fallback[candidate] ?? 0;
      next = follow.get(candidate, unit);
    }
    const target = next === none ? 0 : next;
    fallback[state] = target;
    if (isEnd[target] === 1) isEnd[state] = 1;
  }
  return fallback;
}

/** States after those that are nearer to the start. Parents have smaller numbers than their children. */
function byDepth(parent: Int32Array, states: number): Int32Array {
  const depth = new Int32Array(states);
  let deepest = 0;
  for (let state = 1; state < states; state += 1) {
    const own = (depth[parent[state] ?? 0] ?? 0) + 1;
    depth[state] = own;
    deepest = Math.max(deepest, own);
  }
  const places = new Int32Array(deepest + 2);
  for (let state = 1; state < states; state += 1) places[(depth[state] ?? 0) + 1] = (places[(depth[state] ?? 0) + 1] ?? 0) + 1;
  for (let level = 1; level < places.length; level += 1) places[level] = (places[level] ?? 0) + (places[level - 1] ?? 0);
  const order = new Int32Array(Math.max(0, states - 1));
  for (let state = 1; state < states; state += 1) {
    const level = depth[state] ?? 0;
    const place = places[level] ?? 0;
    order[place] = state;
    places[level] = place + 1;
  }
  return order;
}

interface Transitions {
  get(state: number, unit: number): number;
  set(state: number, unit: number, next: number): void;
}

/** A table without objects: half a million states would otherwise be as many maps. */
function createTransitions(most: number): Transitions {
  const size = 2 ** Math.ceil(Math.log2(most * 2 + 2));
  const mask = size - 1;
  const froms = new Int32Array(size).fill(none);
  const units = new Uint16Array(size);
  const nexts = new Int32Array(size);
  function placeOf(state: number, unit: number): number {
    const mixed = Math.imul(state, 0x9e_37_79_b1) ^ Math.imul(unit, 0x85_eb_ca_6b);
    let place = (mixed ^ (mixed >>> 15)) & mask;
    while (froms[place] !== none && (froms[place] !== state || units[place] !== unit)) place = (place + 1) & mask;
    return place;
  }
  return {
    get(state, unit) {
      const place = placeOf(state, unit);
      return froms[place] === none ? none : (nexts[place] ?? none);
    },
    set(state, unit, next) {
      const place = placeOf(state, unit);
      froms[place] = state;
      units[place] = unit;
      nexts[place] = next;
    },
  };
}
