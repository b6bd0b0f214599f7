import { describe, expect, it } from 'vitest';
import { CallNumbers } from './call-numbers.ts';
import { createStreamReader, readWhole } from './read-response.ts';

type Piece = Record<string, unknown>;

const begin = (id: string | undefined, name: string, written = '', index: number | undefined = 0): Piece => ({
  ...(index === undefined ? {} : { index }),
  ...(id === undefined ? {} : { id }),
  type: 'function',
  function: { name, arguments: written },
});
const rest = (written: string, more: Piece = { index: 0 }): Piece => ({ ...more, function: { arguments: written } });
const chunk = (...pieces: Piece[]) => ({ id: 'c1', created: 1, model: 'm', choices: [{ index: 0, delta: { tool_calls: pieces } }] });

interface Reported {
  id: string;
  name: string;
  arguments: string;
}

/** Calls as a translated stream contains them. */
function callsRead(events: readonly object[]): Reported[] {
  const reader = createStreamReader(null);
  const calls: Reported[] = [];
  for (const event of events) {
    for (const part of reader.read({ name: '', data: JSON.stringify(event) })) {
      if (part.type === 'tool_call') calls[part.index] = { id: part.id, name: part.name, arguments: '' };
      const call = part.type === 'tool_arguments' ? calls[part.index] : undefined;
      if (part.type === 'tool_arguments' && call !== undefined) call.arguments += part.text;
    }
  }
  return calls;
}

/** Calls as a client of this format assembles them by index. */
function callsNumbered(events: readonly object[]): Reported[] {
  const numbers = new CallNumbers();
  const calls: Reported[] = [];
  for (const event of events) {
    const bytes = numbers.pass(Buffer.from(`data: ${JSON.stringify(event)}\n\n`)).toString();
    const { choices } = JSON.parse(bytes.slice('data: '.length)) as ReturnType<typeof chunk>;
    for (const piece of choices[0]?.delta.tool_calls ?? []) {
      const { name = '', arguments: written = '' } = Object(piece['function']) as Partial<Reported>;
      const call = (calls[Number(piece['index'])] ??= { id: typeof piece['id'] === 'string' ? piece['id'] : '', name: '', arguments: '' });
      call.name ||= name;
      call.arguments += written;
    }
  }
  return calls;
}

const streams: Record<string, Piece[][]> = {
  'all have number 0, and ids where they begin': [[begin('call_a', 'ls', '{"x":"a"}')], [begin('call_b', 'cat')], [rest('{"x":"b"}')]],
  'all have number 0 and no ids': [[begin(undefined, 'ls', '{"x":"a"}')], [begin(undefined, 'cat')], [rest('{"x":')], [rest('"b"}')]],
  'all are whole, of number 0, in one event': [[begin('call_a', 'ls', '{"x":"a"}'), begin('call_b', 'cat', '{"x":"b"}')]],
  'all have number 0, and every piece has its id and name': [
    [begin('call_a', 'ls', '{"x"')],
    [begin('call_a', 'ls', ':"a"}')],
    [begin('call_b', 'cat', '{"x":"b"')],
    [begin('call_b', 'cat', '}')],
  ],
  'are numbered': [[begin('call_a', 'ls')], [begin('call_b', 'cat', '', 1)], [rest('{"x":"a"}'), rest('{"x":"b"}', { index: 1 })]],
  'are numbered, and pieces have empty ids': [
    [begin('call_a', 'ls')],
    [rest('{"x":"a"}', { index: 0, id: '' })],
    [begin('call_b', 'cat', '', 1)],
    [rest('{"x":"b"}', { index: 1, id: '' })],
  ],
};

describe('parallel calls in a stream', () => {
  it.each(Object.entries(streams))('that %s are distinguished', (_what, pieces) => {
    const events = pieces.map((some) => chunk(...some));
    const expected = [
      { name: 'ls', arguments: '{"x":"a"}' },
      { name: 'cat', arguments: '{"x":"b"}' },
    ];
    expect(callsRead(events)).toMatchObject(expected);
    expect(callsNumbered(events)).toMatchObject(expected);
    expect(new Set(callsRead(events).map(({ id }) => id)).size).toBe(2);
  });

  it('are two calls of the same tool if the first one is complete', () => {
    const pieces = [begin(undefined, 'ls', '{"x":"{\\"}"}'), begin(undefined, 'ls', '{"x":'), rest('"b"}')];
    const reported = [{ arguments: '{"x":"{\\"}"}' }, { arguments: '{"x":"b"}' }];
    expect(callsRead(pieces.map((piece) => chunk(piece)))).toMatchObject(reported);
    expect(callsNumbered(pieces.map((piece) => chunk(piece)))).toMatchObject(reported);
  });

  it('are one call if each piece repeats the name or has another id', () => {
    const named = [begin(undefined, 'ls'), begin(undefined, 'ls', '{"x":'), begin(undefined, 'ls', '"a"}')];
    const renamed = [begin('a', 'ls', '{"x":'), begin('b', 'ls', '"a"}')];
    for (const pieces of [named, renamed]) {
      expect(callsRead(pieces.map((piece) => chunk(piece)))).toMatchObject([{ name: 'ls', arguments: '{"x":"a"}' }]);
    }
  });

  it('without numbers follow each other', () => {
    const none = { function: {} };
    const pieces = [begin('a', 'ls', '{', undefined), rest('}', none), begin('b', 'cat', '{}', undefined)].map((piece) => {
      const { index: _index, ...others } = piece;
      return others;
    });
    const reported = [{ arguments: '{}' }, { name: 'cat', arguments: '{}' }];
    expect(callsRead(pieces.map((piece) => chunk(piece)))).toMatchObject(reported);
    expect(callsNumbered(pieces.map((piece) => chunk(piece)))).toMatchObject(reported);
  });

  it('are numbered, in any number', () => {
    const calls = 150_000;
    const numbers = new CallNumbers();
    let last = '';
    for (let from = 0; from < calls; from += 1000) {
      const pieces = Array.from({ length: 1000 }, (_, at) => begin(`c${from + at}`, 'ls', '{}'));
      last = numbers.pass(Buffer.from(`data: ${JSON.stringify(chunk(...pieces))}\n\n`)).toString();
    }
    const { choices } = JSON.parse(last.slice('data: '.length)) as ReturnType<typeof chunk>;
    expect(choices[0]?.delta.tool_calls.at(-1)).toMatchObject({ index: calls - 1, id: `c${calls - 1}` });
  });

  it('get unique ids if the provider sends none or the same for all, which differ between responses', () => {
    const once = callsRead([chunk(begin(undefined, 'ls', '{}'), begin(undefined, 'cat', '{}'))]);
    const again = callsRead([{ ...chunk(begin(undefined, 'ls', '{}')), id: 'c2' }]);
    expect(new Set([...once, ...again].map(({ id }) => id)).size).toBe(3);
    const same = callsRead([chunk(begin('call_0', 'ls', '{}', 0), begin('call_0', 'cat', '{}', 1))]);
    expect(same.map(({ id }) => id)).toEqual(['call_0', 'call_0_1']);
  });
});

describe('calls of a whole response', () => {
  it('are separate calls, whatever their numbers', () => {
    const calls = [begin('call_a', 'ls', '{"x":"a"}'), begin('call_b', 'ls', ''), begin(undefined, 'ls', '{}')];
    const body = {
      id: 'c1',
      created: 1,
      model: 'm',
      choices: [{ index: 0, message: { content: null, tool_calls: calls }, finish_reason: 'tool_calls' }],
    };
    const reported = (readWhole(body, null) ?? []).filter((part) => part.type === 'tool_call');
    expect(reported.map(({ index }) => index)).toEqual([0, 1, 2]);
    expect(new Set(reported.map(({ id }) => id)).size).toBe(3);
  });
});

describe('bytes of a stream', () => {
  it('are unchanged if no number must change', () => {
    const events = Buffer.from(
      [chunk(begin('a', 'ls')), chunk(rest('{}')), { choices: [{ index: 0, delta: { content: '"tool_calls"' } }] }]
        .map((event) => `data: ${JSON.stringify(event)}\n\n`)
        .join(''),
    );
    expect(new CallNumbers().pass(events)).toBe(events);
  });

  it('leave everything around a renumbered event unchanged', () => {
    const [first, second] = [chunk(begin('a', 'ls', '{}')), chunk(begin('b', 'cat', '{}'))].map(
      (event) => `data: ${JSON.stringify(event)}\n\n`,
    );
    const comment = ': hello\n\n';
    const passed = new CallNumbers().pass(Buffer.from(`${first}${comment}${second}${comment}`)).toString();
    expect(passed).toBe(`${first}${comment}${second?.replace('"tool_calls":[{"index":0', '"tool_calls":[{"index":1')}${comment}`);
  });
});
