import { expect, it } from 'vitest';
import { fieldRules, fieldSentence, invalidInput } from './field-rules.ts';

it('a field is called as people call it, and as it is on the wire', () => {
  expect(fieldSentence('groups.2', fieldRules.text)).toEqual({ zh: '分组（groups.2）必须是文本', en: 'groups (groups.2) must be a text' });
});

it.each(['constructor', 'toString', '__proto__', 'hasOwnProperty', 'what_is_new'])('a field that has no name is called %s', (path) => {
  const sentence = { zh: `${path} 必须是文本`, en: `${path} must be a text` };
  expect(fieldSentence(path, fieldRules.text)).toEqual(sentence);
  expect(invalidInput(path, fieldRules.text).details).toEqual({ detail: sentence });
});
