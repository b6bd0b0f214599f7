/** https://replicate.com/docs/reference/http#predictions.create */
export const title = 'Replicate';
