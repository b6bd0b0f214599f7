// Image formats by the name in a provider's record.
import type { ImageFormat } from '../image-format.ts';
import { dashscope } from './dashscope.ts';
import { google } from './google.ts';
import { minimax } from './minimax.ts';
import { replicate } from './replicate.ts';
import { ark, qianfan, siliconflow, wenxin, zhipu } from './openai-like.ts';

export const imageFormats: Readonly<Record<string, ImageFormat>> = {
  ark,
  dashscope,
  google,
  minimax,
  qianfan,
  replicate,
  siliconflow,
  wenxin,
  zhipu,
};
