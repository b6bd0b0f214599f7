// Cohere's thinking models. https://docs.cohere.com/v2/docs/reasoning
export function thinks(model: string): boolean {
  return /reasoning/.test(model);
}
