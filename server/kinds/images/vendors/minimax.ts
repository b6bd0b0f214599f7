// Pictures of MiniMax. https://platform.minimax.io/docs/api-reference/image-generation-t2i
import { isObject } from '#server/framing/loose-json.ts';
import { countIn, type ImageFormat, pixelsIn, ratioIn, splitFields } from '../image-format.ts';

const ratios = ['1:1', '16:9', '4:3', '3:2', '2:3', '3:4', '9:16', '21:9'];
const [shortest, longest, step] = [512, 2048, 8];

export const minimax: ImageFormat = {
  mostPictures: () => 9,
  writeRequest(body, model) {
    const { extras, dropped } = splitFields(body, ['seed', 'prompt_optimizer', 'aigc_watermark', 'style']);
    const pixels = pixelsIn(body);
    const fits = (side: number) => side >= shortest && side <= longest && side % step === 0;
    const ratio = ratioIn(body, ratios);
    const size =
      pixels !== undefined && model === 'image-01' && fits(pixels.width) && fits(pixels.height)
        ? pixels
        : ratio === undefined
          ? {}
          : { aspect_ratio: ratio };
    const format = body.response_format === 'b64_json' ? 'base64' : 'url';
    return { body: { ...extras, model, prompt: body.prompt, ...size, response_format: format, n: countIn(body) }, dropped };
  },
  readResponse({ data }) {
    if (!isObject(data)) return null;
    const texts = (list: unknown): string[] =>
      Array.isArray(list) ? list.filter((text): text is string => typeof text === 'string' && text !== '') : [];
    const pictures = [...texts(data.image_urls).map((url) => ({ url })), ...texts(data.image_base64).map((base64) => ({ base64 }))];
    return { pictures, usage: null };
  },
};
