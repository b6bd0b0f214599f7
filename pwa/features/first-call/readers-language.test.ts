import { expect, it } from 'vitest';
import { errors } from '#shared/errors.ts';
import { translate } from './readers-language.ts';

const sentences = Object.values(errors);

it('readers-language: a stored sentence of ours is told in the reader’s language', () => {
  expect(translate(errors.do_request_failed.zh, sentences, 'en')).toBe(errors.do_request_failed.en);
  expect(translate(errors.do_request_failed.en, sentences, 'zh')).toBe(errors.do_request_failed.zh);
});

it('readers-language: what stood in its gaps stays', () => {
  expect(translate(errors.bad_response_status_code.zh.replace('{status}', '503'), sentences, 'en')).toBe(
    errors.bad_response_status_code.en.replace('{status}', '503'),
  );
});

it('readers-language: the words of others stay as they are', () => {
  expect(translate('模型正忙，请稍候', sentences, 'en')).toBe('模型正忙，请稍候');
  expect(translate('Incorrect API key provided', sentences, 'zh')).toBe('Incorrect API key provided');
});
