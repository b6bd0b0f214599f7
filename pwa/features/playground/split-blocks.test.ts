import { describe, expect, test } from 'vitest';
import { splitBlocks } from './split-blocks.ts';

describe('blocks of an answer', () => {
  test.each([
    ['', []],
    ['one', ['one']],
    ['one\n\ntwo\nthree\n\n\nfour', ['one', 'two\nthree', 'four']],
    ['# Title\n\ntext\n', ['# Title', 'text\n']],
    // Code retains its empty lines, also before its end has arrived.
    ['before\n\n```ts\na\n\nb\n```\n\nafter', ['before', '```ts\na\n\nb\n```', 'after']],
    ['```\na\n\nb', ['```\na\n\nb']],
    ['~~~~\n```\n\n~~~\n\n~~~~\n\nafter', ['~~~~\n```\n\n~~~\n\n~~~~', 'after']],
    // A list is one list, with what belongs to its items.
    ['1. one\n\n2. two\n\n   more of two\n\nafter', ['1. one\n\n2. two\n\n   more of two', 'after']],
    ['- one\n\n- two', ['- one\n\n- two']],
    ['text\n\n- one', ['text', '- one']],
  ])('%j', (text, blocks) => {
    expect(splitBlocks(text)).toEqual(blocks);
  });

  test('that stand do not change as lines come', () => {
    const text = 'first\n\n```js\nlet a;\n\nlet b;\n```\n\n1. x\n\n2. y\n\nlast words';
    let before: string[] = [];
    const lines = text.split('\n');
    for (const [index] of lines.entries()) {
      const blocks = splitBlocks(lines.slice(0, index + 1).join('\n'));
      expect(blocks.slice(0, before.length - 1)).toEqual(before.slice(0, -1));
      before = blocks;
    }
    expect(before).toHaveLength(4);
  });
});
