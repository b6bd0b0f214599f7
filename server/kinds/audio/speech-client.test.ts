import { expect, test } from 'vitest';
import { speechClient } from './speech-client.ts';

test('characters that some providers count twice are reserved for so under any name: a channel may map it to a model of these', () => {
  const reservedFor = (model: string, input: string) => {
    const { fixed, media, mediaMost } = speechClient.promptContent({ model, input }, model);
    return { counted: fixed, most: fixed - media + mediaMost };
  };
  expect(reservedFor('tts-1', 'tide 潮')).toEqual({ counted: 6, most: 7 });
  expect(reservedFor('speech-2.6-hd', 'tide 潮')).toEqual({ counted: 7, most: 7 });
  expect(reservedFor('tts-1', 'tide')).toEqual({ counted: 4, most: 4 });
});
