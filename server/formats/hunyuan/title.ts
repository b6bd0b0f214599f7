/** https://cloud.tencent.com/document/product/1729/105701 */
export const title = 'Tencent Hunyuan';
