// Images as predictions of Replicate: the inputs that models of many vendors share.
// https://replicate.com/black-forest-labs/flux-schnell/api
import { asPrediction, waitingHeaders } from '#server/formats/predictions.ts';
import { countIn, type ImageFormat, ratioIn, splitFields, textIn } from '../image-format.ts';

const ratios = ['1:1', '16:9', '9:16', '3:2', '2:3', '4:3', '3:4', '5:4', '4:5', '21:9', '9:21'];
const fileTypes: Readonly<Record<string, string>> = { png: 'png', webp: 'webp', jpeg: 'jpg', jpg: 'jpg' };

/** Polling is part of the dialect. */
export const replicate: ImageFormat = {
  mostPictures: () => 4,
  writeRequest(body, model) {
    const { extras, dropped } = splitFields(body, ['seed', 'output_format']);
    const { output_format: named, ...rest } = extras;
    const type = typeof named === 'string' && Object.hasOwn(fileTypes, named) ? fileTypes[named] : undefined;
    const ratio = ratioIn(body, ratios);
    const input = {
      ...rest,
      prompt: body.prompt,
      ...(ratio === undefined ? {} : { aspect_ratio: ratio }),
      ...(countIn(body) === 1 ? {} : { num_outputs: countIn(body) }),
      ...(type === undefined ? {} : { output_format: type }),
    };
    const lost = named !== undefined && type === undefined ? ['output_format'] : [];
    return { body: asPrediction({ input }, model), headers: waitingHeaders, dropped: [...dropped, ...lost] };
  },
  readResponse(reported) {
    if (reported.status !== 'succeeded') return null;
    const { output } = reported;
    const texts: unknown[] = Array.isArray(output) ? output : [textIn(reported, 'output')];
    const urls = texts.filter((url) => typeof url === 'string');
    return { pictures: urls.map((url) => (url.startsWith('data:') ? { base64: url } : { url })), usage: null };
  },
};
