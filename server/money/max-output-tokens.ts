// The most tokens that a model can answer with, as its vendor says. What is not known here is a setting.
// Those of Tencent, Zhipu and iFlytek are from catalogues that name these lists of theirs as their source:
// https://cloud.tencent.com/document/product/1729/104753 https://docs.bigmodel.cn/cn/guide/start/model-overview
// https://www.xfyun.cn/doc/spark/HTTP%E8%B0%83%E7%94%A8%E6%96%87%E6%A1%A3.html
import known from './data/max-output-tokens.json' with { type: 'json' };
import { factOfModels } from './known-models.ts';

/** Null: not known. */
export const maxOutputTokens = factOfModels(known);
