import { expect, test } from 'vitest';
import { readAwsKey } from './aws-key.ts';

const pair = { type: 'access_key', accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'wJal/+=', region: 'us-east-1' };

test.each([
  ['AKIDEXAMPLE|wJal/+=|us-east-1', pair],
  [' AKIDEXAMPLE | wJal/+= | us-east-1 ', pair],
  ['AKIDEXAMPLE|wJal/+=|us-gov-west-1', { ...pair, region: 'us-gov-west-1' }],
  ['AKIDEXAMPLE|wJal/+=|us-east-1|IQoJb3==', { ...pair, sessionToken: 'IQoJb3==' }],
  ['ABSKQmVk/+==|eu-central-1', { type: 'api_key', key: 'ABSKQmVk/+==', region: 'eu-central-1' }],
  ['ABSKQmVk', null],
  ['AKIDEXAMPLE|secret', null],
  ['AKIDEXAMPLE|secret|evil.example/', null],
  ['AKIDEXAMPLE|secret|us-east-1.evil', null],
  ['AKIDEXAMPLE||us-east-1', null],
  ['AK ID|secret|us-east-1', null],
  ['AKID/,|secret|us-east-1', null],
  ['a|b|us-east-1|d|e', null],
  ['', null],
])('readAwsKey(%s)', (text, key) => {
  expect(readAwsKey(text)).toEqual(key);
});
