/** https://github.com/googleapis/googleapis/blob/master/google/ai/generativelanguage/v1beta2/discuss_service.proto */
export const title = 'PaLM';
