/** https://docs.dify.ai/en/guides/application-publishing/developing-with-apis */
export const title = 'Dify';
